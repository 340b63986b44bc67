// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/registry.hpp"

#include <array>

#include "codecs/bf16/kernels.hpp"
#include "codecs/cuda/add.hpp"
#include "codecs/cuda/error.hpp"
#include "codecs/demo/kernels.hpp"
#include "codecs/difference/kernels.hpp"
#include "codecs/eden/eden.hpp"
#include "codecs/eden/kernels.hpp"
#include "codecs/element/element.hpp"
#include "codecs/element/kernels.hpp"
#include "codecs/feedback/kernels.hpp"
#include "codecs/fp32/fp32.hpp"
#include "codecs/group/group.hpp"
#include "codecs/group/kernels.hpp"
#include "codecs/random_k/kernels.hpp"
#include "codecs/random_k/random_k.hpp"
#include "codecs/rotation/kernels.hpp"
#include "codecs/sign/kernels.hpp"
#include "codecs/sign/sign.hpp"
#include "codecs/terngrad/kernels.hpp"
#include "codecs/terngrad/terngrad.hpp"
#include "codecs/top_k/kernels.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs::cuda {
namespace {

void encode_fp32(const Format&, Tensor<const Bf16> values, const Encoding& to,
                 cudaStream_t stream) {
  to_float_async(values, reinterpret_cast<float*>(to.wires), stream);
}
void encode_fp32(const Format&, Tensor<const float> values, const Encoding& to,
                 cudaStream_t stream) {
  check(cudaMemcpyAsync(to.wires, values.values, values.elements * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream));
}

void decode_fp32(const Format&, const std::byte* wire, Tensor<float> values, cudaStream_t stream) {
  check(cudaMemcpyAsync(values.values, wire, values.elements * sizeof(float),
                        cudaMemcpyDeviceToDevice, stream));
}

template <typename Value>
void encode_bf16(const Format&, Tensor<const Value> values, const Encoding& to,
                 cudaStream_t stream) {
  to_bf16_async(values, reinterpret_cast<Bf16*>(to.wires), to.nonfinite, stream);
}

void decode_bf16(const Format&, const std::byte* wire, Tensor<float> values, cudaStream_t stream) {
  to_float_async({reinterpret_cast<const Bf16*>(wire), values.elements}, values.values, stream);
}

// The wire is an array of what it decodes to.
template <typename Value>
void add_wire(const Format&, const std::byte* wire, Tensor<float> sums, cudaStream_t stream) {
  add_async(Tensor<const Value>{reinterpret_cast<const Value*>(wire), sums.elements}, sums.values,
            stream);
}

// A decode is the sum of one wire.
using Reduce = void (*)(const Format&, const Wires&, Tensor<float>, cudaStream_t);
template <Reduce kReduce>
void decode_one(const Format& format, const std::byte* wire, Tensor<float> values,
                cudaStream_t stream) {
  kReduce(format, {.bytes = wire}, values, stream);
}

constexpr CudaCodec element_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_elements_async,
          .decode_async = decode_elements_async,
          .encode_bf16_async = encode_elements_async};
}

constexpr CudaCodec group_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_async,
          .decode_async = decode_one<decode_reduce_async>,
          .encode_bf16_async = encode_async,
          .decode_add_async = decode_add_async,
          .decode_add_fp32_async = decode_add_async,
          .decode_reduce_async = decode_reduce_async,
          .scratch_bytes = scratch_bytes};
}

constexpr CudaCodec with_feedback(CudaCodec row) {
  row.encode_feedback_async = encode_feedback_async;
  row.encode_feedback_bf16_async = encode_feedback_async;
  return row;
}

constexpr CudaCodec sign_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_signs_async,
          .decode_async = decode_one<decode_reduce_signs_async>,
          .encode_bf16_async = encode_signs_async,
          .encode_feedback_async = encode_signs_feedback_async,
          .encode_feedback_bf16_async = encode_signs_feedback_async,
          .decode_add_async = decode_add_signs_async,
          .decode_add_fp32_async = decode_add_signs_async,
          .decode_reduce_async = decode_reduce_signs_async,
          .scratch_bytes = sign_scratch_bytes};
}

constexpr CudaCodec ternary_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_ternary_async,
          .decode_async = decode_one<decode_reduce_ternary_async>,
          .encode_bf16_async = encode_ternary_async,
          .decode_add_fp32_async = decode_add_ternary_async,
          .decode_reduce_async = decode_reduce_ternary_async,
          .scratch_bytes = ternary_scratch_bytes};
}

// Symmetric integers, which weight differences are sent as.
constexpr CudaCodec integer_row(const Codec& codec) {
  CudaCodec row = group_row(codec);
  row.encode_difference_async = encode_difference_async;
  return row;
}

constexpr CudaCodec rotated_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_rotated_async,
          .decode_async = decode_one<decode_reduce_rotated_async>,
          .encode_bf16_async = encode_rotated_async,
          .decode_reduce_async = decode_reduce_rotated_async,
          .scratch_bytes = scratch_bytes};
}

constexpr CudaCodec eden_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_eden_async,
          .decode_async = decode_one<decode_reduce_eden_async>,
          .encode_bf16_async = encode_eden_async,
          .decode_reduce_async = decode_reduce_eden_async};
}

constexpr CudaCodec top_k_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_top_k_async,
          .decode_async = decode_top_k_async,
          .encode_bf16_async = encode_top_k_async,
          .encode_feedback_async = encode_top_k_feedback_async,
          .encode_feedback_bf16_async = encode_top_k_feedback_async,
          .decode_reduce_async = decode_reduce_top_k_async,
          .scratch_bytes = top_k_scratch_bytes};
}

constexpr CudaCodec random_k_row(const Codec& codec) {
  return {.codec = &codec,
          .encode_async = encode_random_k_async,
          .decode_async = decode_random_k_async,
          .encode_bf16_async = encode_random_k_async,
          .encode_feedback_async = encode_random_k_feedback_async,
          .encode_feedback_bf16_async = encode_random_k_feedback_async,
          .decode_reduce_async = decode_reduce_random_k_async};
}

constexpr std::array kCudaCodecs{
    CudaCodec{.codec = &fp32,
              .encode_async = encode_fp32,
              .decode_async = decode_fp32,
              .encode_bf16_async = encode_fp32,
              .decode_add_fp32_async = add_wire<float>},
    CudaCodec{.codec = &bf16,
              .encode_async = encode_bf16<float>,
              .decode_async = decode_bf16,
              .encode_bf16_async = encode_bf16<Bf16>,
              .decode_add_fp32_async = add_wire<Bf16>},
    element_row(fp16),
    group_row(fp8_e4m3),
    group_row(fp8_e5m2),
    group_row(fp8_e4m3_g128),
    group_row(fp8_e5m2_g128),
    group_row(mxfp8),
    group_row(mxfp8_floor),
    group_row(mxfp8_e5m2),
    group_row(mxfp4),
    group_row(mxfp4_sr),
    group_row(mxfp4_ceil),
    group_row(mxfp4_floor),
    group_row(nvfp4),
    group_row(nvfp4_sr),
    with_feedback(integer_row(int8_g128)),
    with_feedback(integer_row(int8_g128_sr)),
    integer_row(int8_g128_hadamard_sr),
    with_feedback(integer_row(int8_g512)),
    with_feedback(integer_row(int8_g512_sr)),
    with_feedback(integer_row(int8_g2048)),
    with_feedback(integer_row(int8_g2048_sr)),
    with_feedback(integer_row(int4_g32)),
    with_feedback(integer_row(int4_g32_sr)),
    with_feedback(integer_row(int4_g64)),
    with_feedback(integer_row(int4_g64_sr)),
    with_feedback(integer_row(int4_g128)),
    with_feedback(integer_row(int4_g128_sr)),
    integer_row(int4_g128_hadamard),
    integer_row(int4_g128_hadamard_sr),
    with_feedback(integer_row(int4_g256)),
    with_feedback(integer_row(int4_g256_sr)),
    with_feedback(integer_row(int4_g512)),
    with_feedback(integer_row(int4_g512_sr)),
    with_feedback(integer_row(int4_g1024)),
    with_feedback(integer_row(int4_g1024_sr)),
    with_feedback(integer_row(int4_g2048)),
    with_feedback(integer_row(int4_g2048_sr)),
    with_feedback(integer_row(int2_g32_sr)),
    with_feedback(integer_row(int2_g128_sr)),
    with_feedback(group_row(int8_full_g2048)),
    with_feedback(group_row(int4_full_g128)),
    with_feedback(group_row(int4_full_g2048)),
    group_row(int8_minmax_g1024),
    group_row(int8_minmax_g1024_sr),
    group_row(int4_minmax_g512),
    group_row(int4_minmax_g512_sr),
    group_row(fbgemm_e4m3_g32),
    group_row(fbgemm_e5m2_g32),
    group_row(fbgemm_int8_g32),
    group_row(nf4_g64),
    group_row(nf4_g128),
    group_row(bnb8_g4096),
    group_row(qsgd_int8_g512),
    group_row(qsgd_int4_g512),
    element_row(natural),
    rotated_row(int4_g128_rht128_sr),
    rotated_row(int4_g128_rht4096),
    rotated_row(nvfp4_rht16),
    rotated_row(nvfp4_rht16_sr),
    eden_row(eden1_g4096),
    eden_row(eden2_g4096),
    eden_row(eden3_g4096),
    eden_row(eden4_g4096),
    sign_row(sign_g2048),
    sign_row(sign_tensor),
    sign_row(one_bit),
    ternary_row(terngrad),
    ternary_row(terngrad_g512),
    top_k_row(sparseloco),
    top_k_row(sparseloco_enumerated),
    top_k_row(codebook2),
    top_k_row(topk64_sign_magnitude),
    top_k_row(topk64_sign),
    top_k_row(topk64),
    random_k_row(random_k64),
    random_k_row(random_k64_unscaled),
    CudaCodec{.codec = &demo_top32,
              .encode_async = encode_demo_async,
              .decode_async = decode_demo_async,
              .encode_bf16_async = encode_demo_async,
              .encode_feedback_async = encode_demo_feedback_async,
              .encode_feedback_bf16_async = encode_demo_feedback_async,
              .decode_reduce_async = decode_reduce_demo_async,
              .scratch_bytes = demo_scratch_bytes},
};

}  // namespace

std::span<const CudaCodec> all_cuda_codecs() { return kCudaCodecs; }

}  // namespace codecs::cuda
