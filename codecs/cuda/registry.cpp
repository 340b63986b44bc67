#include "codecs/cuda/registry.hpp"

#include <array>

#include "codecs/bf16/kernels.hpp"
#include "codecs/cuda/error.hpp"
#include "codecs/difference/kernels.hpp"
#include "codecs/eden/eden.hpp"
#include "codecs/eden/kernels.hpp"
#include "codecs/fp32/fp32.hpp"
#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "codecs/rotation/kernels.hpp"

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

void decode_rotated(const Format& format, const std::byte* wire, Tensor<float> values,
                    cudaStream_t stream) {
  decode_reduce_rotated_async(format, {.bytes = wire}, values, stream);
}

constexpr CudaCodec rotated_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_rotated_async,
          .decode_async = decode_rotated,
          .encode_bf16_async = encode_rotated_async,
          .decode_reduce_async = decode_reduce_rotated_async};
}

void decode_eden(const Format& format, const std::byte* wire, Tensor<float> values,
                 cudaStream_t stream) {
  decode_reduce_eden_async(format, {.bytes = wire}, values, stream);
}

constexpr CudaCodec eden_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_eden_async,
          .decode_async = decode_eden,
          .encode_bf16_async = encode_eden_async,
          .decode_reduce_async = decode_reduce_eden_async};
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
    rotated_row(int4_g128_rht128_sr),
    rotated_row(int4_g128_rht4096),
    eden_row(eden1_g4096),
    eden_row(eden2_g4096),
    eden_row(eden3_g4096),
    eden_row(eden4_g4096),
};

}  // namespace

std::span<const CudaCodec> all_cuda_codecs() { return kCudaCodecs; }

}  // namespace codecs::cuda
