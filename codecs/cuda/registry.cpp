#include "codecs/cuda/registry.hpp"

#include <array>

#include "codecs/bf16/kernels.hpp"
#include "codecs/cuda/error.hpp"
#include "codecs/demo/kernels.hpp"
#include "codecs/difference/kernels.hpp"
#include "codecs/fp32/fp32.hpp"
#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "codecs/random_k/kernels.hpp"
#include "codecs/random_k/random_k.hpp"
#include "codecs/top_k/kernels.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs::cuda {
namespace {

void encode_fp32(const Format&, Tensor<const float> values, const Encoding& to,
                 cudaStream_t stream) {
  check(cudaMemcpyAsync(to.wires, values.values, values.elements * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream));
}

void decode_fp32(const Format&, const std::byte* wire, Tensor<float> values, cudaStream_t stream) {
  check(cudaMemcpyAsync(values.values, wire, values.elements * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream));
}

void encode_bf16(const Format&, Tensor<const float> values, const Encoding& to,
                 cudaStream_t stream) {
  to_bf16_async(values, reinterpret_cast<Bf16*>(to.wires), to.nonfinite, stream);
}

void decode_bf16(const Format&, const std::byte* wire, Tensor<float> values, cudaStream_t stream) {
  to_float_async({reinterpret_cast<const Bf16*>(wire), values.elements}, values.values, stream);
}

void decode_group(const Format& format, const std::byte* wire, Tensor<float> values,
                  cudaStream_t stream) {
  decode_reduce_async(format, {.bytes = wire}, values, stream);
}

constexpr CudaCodec group_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_async,
          .decode_async = decode_group,
          .encode_bf16_async = encode_async,
          .encode_difference_async = encode_difference_async,
          .decode_add_async = decode_add_async,
          .decode_reduce_async = decode_reduce_async};
}

constexpr CudaCodec top_k_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_top_k_async,
          .decode_async = decode_top_k_async,
          .encode_feedback_async = encode_top_k_feedback_async,
          .decode_reduce_async = decode_reduce_top_k_async,
          .scratch_bytes = top_k_scratch_bytes};
}

constexpr CudaCodec random_k_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_random_k_async,
          .decode_async = decode_random_k_async,
          .encode_feedback_async = encode_random_k_feedback_async,
          .decode_reduce_async = decode_reduce_random_k_async};
}

constexpr std::array kCudaCodecs{
    CudaCodec{&fp32, encode_fp32, decode_fp32},
    CudaCodec{&bf16, encode_bf16, decode_bf16},
    group_row(int8_g128),
    group_row(int8_g128_sr),
    group_row(int8_g128_hadamard_sr),
    group_row(int4_g128),
    group_row(int4_g128_sr),
    group_row(int4_g128_hadamard_sr),
    group_row(int4_g2048),
    group_row(int4_g2048_sr),
    top_k_row(sparseloco),
    top_k_row(topk64_sign_magnitude),
    top_k_row(topk64_sign),
    top_k_row(topk64),
    random_k_row(random_k64),
    random_k_row(random_k64_unscaled),
    CudaCodec{.codec = &demo_top32,
              .encode_async = encode_demo_async,
              .decode_async = decode_demo_async,
              .encode_feedback_async = encode_demo_feedback_async,
              .decode_reduce_async = decode_reduce_demo_async,
              .scratch_bytes = demo_scratch_bytes},
};

}  // namespace

std::span<const CudaCodec> all_cuda_codecs() { return kCudaCodecs; }

}  // namespace codecs::cuda
