// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/feedback/feedback.cuh"
#include "codecs/feedback/kernels.hpp"
#include "codecs/random_k/kernels.hpp"
#include "codecs/random_k/random_k.hpp"

namespace codecs::cuda {
namespace {

constexpr std::size_t kRandomKBlockElements = std::size_t{4} * kThreadsPerBlock * kRandomKVectors;

struct RandomKShape {
  std::size_t elements = 0;
  std::size_t strata = 0;
  std::size_t bytes = 0;
  int stratum_bits = 0;  // log2 of a stratum's elements
  float factor = 1;
};

RandomKShape shape_of(const Format& format, std::size_t elements) {
  const std::size_t stratum = stratum_elements(format);
  RandomKShape shape{.elements = elements,
                     .strata = (elements + stratum - 1) / stratum,
                     .bytes = random_k_bytes(format, elements)};
  while (std::size_t{1} << shape.stratum_bits < stratum) ++shape.stratum_bits;
  if (format.rounding == Rounding::stochastic) {
    shape.factor = static_cast<float>(format.group) / static_cast<float>(format.keep);
  }
  return shape;
}

// The rank is not part of it.
Draw shared_draw(const RandomKey& key) {
  Draw draw = draw_of(key);
  draw.rank = kSharedRank;
  return draw;
}

__device__ Draw draw_of_header(const std::byte* wire) {
  const uint4 low = __ldg(reinterpret_cast<const uint4*>(wire));
  const uint4 high = __ldg(reinterpret_cast<const uint4*>(wire) + 1);
  const std::uint64_t first = static_cast<std::uint64_t>(high.y) << 32 | high.x;
  return {.key0 = low.x,
          .key1 = low.y,
          .tensor = low.z,
          .rank = kSharedRank,
          .first_block = first / kElementsPerDraw};
}

__device__ bool same_draw(const Draw& a, const Draw& b) {
  return a.key0 == b.key0 && a.key1 == b.key1 && a.tensor == b.tensor &&
         a.first_block == b.first_block;
}

__device__ void store_header(const Draw& draw, std::byte* wire) {
  const std::uint64_t first = draw.first_block * kElementsPerDraw;
  auto* words = reinterpret_cast<uint4*>(wire);
  words[0] = make_uint4(draw.key0, draw.key1, draw.tensor, 0);
  words[1] =
      make_uint4(static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(first >> 32), 0, 0);
}

// Index of the first value that a stratum draws.
__device__ std::size_t drawn(const RandomKShape& shape, const Draw& draw, std::size_t stratum) {
  const std::size_t first = stratum << shape.stratum_bits;
  const std::uint32_t word = draw_block(draw, draw.first_block + first / kElementsPerDraw).x;
  const std::uint32_t blocks_mask = (1u << (shape.stratum_bits - 3)) - 1u;
  return first + std::size_t{word & blocks_mask} * kDrawElements;
}

__device__ uint4* wire_values(std::size_t stratum, std::byte* wire) {
  return reinterpret_cast<uint4*>(wire + kRandomKHeaderBytes) + 2 * stratum;
}

__device__ bool any_nonfinite(const uint4& v) {
  const std::uint32_t largest =
      max(max(v.x & 0x7FFFFFFFu, v.y & 0x7FFFFFFFu), max(v.z & 0x7FFFFFFFu, v.w & 0x7FFFFFFFu));
  return largest >= kInfinityBits;
}

__device__ std::uint32_t scaled(std::uint32_t bits, float factor) {
  const float value = factor * __uint_as_float(bits);
  return value == value ? __float_as_uint(value) : kNaNScale;
}
__device__ uint4 scaled(const uint4& v, float factor) {
  return make_uint4(scaled(v.x, factor), scaled(v.y, factor), scaled(v.z, factor),
                    scaled(v.w, factor));
}

// A thread takes a stratum: of float32 one sector in, one out.
template <typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    random_k_kernel(const Value* values, RandomKShape shape, Draw draw, EncodeOutput out) {
  const std::size_t stratum = std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x;
  if (stratum == 0) store_header(draw, out.wires);
  if (stratum >= shape.strata) return;
  const std::size_t first = drawn(shape, draw, stratum);
  uint4* const to = wire_values(stratum, out.wires);
  for (int half = 0; half < 2; ++half) {
    const uint4 v = load_four(values, shape.elements, first + 4 * half);
    if (any_nonfinite(v) && out.nonfinite != nullptr) *out.nonfinite = 1;
    to[half] = scaled(v, shape.factor);
  }
}

// The vector at `at`: sends it if it is drawn, and updates its residual.
__device__ void send_vector(const RandomKShape& shape, const Draw& draw, const uint4& value,
                            const uint4& old, const Residual& residual, std::size_t at,
                            const EncodeOutput& out) {
  const std::uint32_t values[4] = {value.x, value.y, value.z, value.w};
  const std::uint32_t olds[4] = {old.x, old.y, old.z, old.w};
  const std::size_t stratum = at >> shape.stratum_bits;
  const std::size_t first = drawn(shape, draw, stratum);
  const bool is_drawn = at >= first && at < first + kDrawElements;
  std::uint32_t sent[4], left[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float e = __uint_as_float(olds[i]);
    const float given = residual.feedback.gain * __uint_as_float(values[i]);
    const float x = at + i < shape.elements ? __fmaf_rn(residual.feedback.carry, e, given) : 0.0f;
    const float decoded = is_drawn ? 0.0f + shape.factor * x : 0.0f;
    sent[i] = __float_as_uint(x);
    left[i] = __float_as_uint(next_residual(residual.feedback, e, x, decoded));
  }
  const uint4 sent_vector = make_uint4(sent[0], sent[1], sent[2], sent[3]);
  if (any_nonfinite(sent_vector) && out.nonfinite != nullptr) *out.nonfinite = 1;
  store_vector(make_uint4(left[0], left[1], left[2], left[3]), shape.elements, at, residual.values);
  if (!is_drawn) return;
  wire_values(stratum, out.wires)[(at - first) / 4] = scaled(sent_vector, shape.factor);
}

template <typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    random_k_feedback_kernel(const Value* tensor, Residual residual, RandomKShape shape, Draw draw,
                             EncodeOutput out) {
  const std::size_t block = blockIdx.x * kRandomKBlockElements;
  if (block == 0 && threadIdx.x == 0) store_header(draw, out.wires);
  uint4 values[kRandomKVectors], olds[kRandomKVectors];
#pragma unroll
  for (int v = 0; v < kRandomKVectors; ++v) {
    const std::size_t at = block + std::size_t{4} * (v * kThreadsPerBlock + threadIdx.x);
    values[v] = load_four(tensor, shape.elements, at);
    olds[v] = load_vector(residual.values, shape.elements, at);
  }
#pragma unroll
  for (int v = 0; v < kRandomKVectors; ++v) {
    const std::size_t at = block + std::size_t{4} * (v * kThreadsPerBlock + threadIdx.x);
    if (at >> shape.stratum_bits >= shape.strata) continue;
    send_vector(shape, draw, values[v], olds[v], residual, at, out);
  }
}

// Whether all wires have the draw of the first, for the whole block of threads.
__device__ bool draw_alike(const RandomKShape& shape, const Wires& wires) {
  const Draw draw = draw_of_header(wires.bytes);
  bool differs = false;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < wires.inputs; i += kThreadsPerBlock) {
    const std::byte* const wire = wires.bytes + static_cast<std::size_t>(i) * shape.bytes;
    differs |= !same_draw(draw_of_header(wire), draw);
  }
  return __syncthreads_or(differs) == 0;
}

// A thread takes 4 values. Ranks draw alike, so one draw mostly says for all wires whether they
// hold them; then the loads of several are in flight.
__global__ void __launch_bounds__(kThreadsPerBlock)
    random_k_sum_kernel(RandomKShape shape, Wires wires, float* sums) {
  const bool alike = draw_alike(shape, wires);
  const std::size_t at = 4 * (std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x);
  if (at >= shape.elements) return;
  const std::size_t stratum = at >> shape.stratum_bits;
  const auto wire = [&](int input) {
    return wires.bytes + static_cast<std::size_t>(input) * shape.bytes;
  };
  float sum[4] = {0, 0, 0, 0};
  const auto add = [&](int input, std::size_t offset) {
    const auto* values = reinterpret_cast<const uint4*>(wire(input) + kRandomKHeaderBytes);
    const uint4 v = __ldg(values + 2 * stratum + offset / 4);
    sum[0] += __uint_as_float(v.x);
    sum[1] += __uint_as_float(v.y);
    sum[2] += __uint_as_float(v.z);
    sum[3] += __uint_as_float(v.w);
  };
  const std::size_t first = drawn(shape, draw_of_header(wires.bytes), stratum);
  if (!alike) {
    for (int input = 0; input < wires.inputs; ++input) {
      const std::size_t own = drawn(shape, draw_of_header(wire(input)), stratum);
      if (at >= own && at < own + kDrawElements) add(input, at - own);
    }
  } else if (at >= first && at < first + kDrawElements) {
#pragma unroll 4
    for (int input = 0; input < wires.inputs; ++input) add(input, at - first);
  }
  store_vector(make_uint4(__float_as_uint(sum[0]), __float_as_uint(sum[1]), __float_as_uint(sum[2]),
                          __float_as_uint(sum[3])),
               shape.elements, at, sums);
}

template <typename Value>
void encode_random_k(const Format& format, Tensor<const Value> values, const Encoding& to,
                     cudaStream_t stream) {
  if (values.elements == 0) return;
  const RandomKShape shape = shape_of(format, values.elements);
  launch(random_k_kernel<Value>,
         {.blocks = blocks_of(shape.strata, kThreadsPerBlock), .stream = stream}, values.values,
         shape, shared_draw(to.key), EncodeOutput{to.wires, to.nonfinite});
}

template <typename Value>
void encode_random_k(const Format& format, Tensor<const Value> values, const Residual& residual,
                     const Encoding& to, cudaStream_t stream) {
  if (values.elements == 0) return;
  const RandomKShape shape = shape_of(format, values.elements);
  const std::size_t covered = shape.strata << shape.stratum_bits;
  launch(random_k_feedback_kernel<Value>,
         {.blocks = blocks_of(covered, kRandomKBlockElements), .stream = stream}, values.values,
         residual, shape, shared_draw(to.key), EncodeOutput{to.wires, to.nonfinite});
}

}  // namespace

void encode_random_k_async(const Format& format, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream) {
  encode_random_k(format, values, to, stream);
}
void encode_random_k_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                           cudaStream_t stream) {
  encode_random_k(format, values, to, stream);
}

void encode_random_k_feedback_async(const Format& format, const Feedback& feedback,
                                    Tensor<const float> values, float* residual, const Encoding& to,
                                    cudaStream_t stream) {
  encode_random_k(format, values, {residual, feedback}, to, stream);
}
void encode_random_k_feedback_async(const Format& format, const Feedback& feedback,
                                    Tensor<const Bf16> values, float* residual, const Encoding& to,
                                    cudaStream_t stream) {
  encode_random_k(format, values, {residual, feedback}, to, stream);
}

void decode_random_k_async(const Format& format, const std::byte* wire, Tensor<float> values,
                           cudaStream_t stream) {
  decode_reduce_random_k_async(format, {.bytes = wire}, values, stream);
}

void decode_reduce_random_k_async(const Format& format, const Wires& wires, Tensor<float> sums,
                                  cudaStream_t stream) {
  if (sums.elements == 0) return;
  launch(random_k_sum_kernel,
         {.blocks = blocks_of((sums.elements + 3) / 4, kThreadsPerBlock), .stream = stream},
         shape_of(format, sums.elements), wires, sums.values);
}

}  // namespace codecs::cuda
