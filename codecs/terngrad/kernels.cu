// SPDX-License-Identifier: Apache-2.0
#include <cfloat>

#include "codecs/cuda/sums.cuh"
#include "codecs/group/kernels.hpp"
#include "codecs/terngrad/kernels.hpp"
#include "codecs/terngrad/terngrad.hpp"

namespace codecs::cuda {
namespace {

using Ternary = StaticFormat<E::int2, C::symmetric, kRandom>;
using TernaryScale = GroupScale<C::symmetric>;

struct Moments {
  float mean = 0;
  float square = 0;
  std::uint32_t amax_bits = 0;
};

__device__ float clipped_magnitude(const Moments& of) {
  if (of.amax_bits >= kInfinityBits) return __uint_as_float(kNaNScale);
  const float variance = __fmaf_rn(-of.mean, of.mean, of.square);
  const float amax = __uint_as_float(of.amax_bits);
  if (!(fabsf(variance) <= FLT_MAX)) return amax;
  return fminf(amax, kClippedSigmas * __fsqrt_rn(fmaxf(variance, 0.0f)));
}

__device__ TernaryScale ternary_scale(float magnitude) {
  if (magnitude < kTinyGroup) return {};
  if (magnitude != magnitude) return {.stored = magnitude};
  return {.multiply = __fdiv_rn(1.0f, magnitude), .stored = magnitude};
}

// Of the sums of a group with `left` values or 2^log2, the fewer. Division by a power of two is a
// product, and its result the same.
struct MeanOf {
  std::size_t left;
  int log2;
  __device__ float operator()(float sum) const {
    if (left >> log2 == 0) return __fdiv_rn(sum, static_cast<float>(left));
    return sum * __uint_as_float(static_cast<unsigned>(127 - log2) << 23);
  }
};

// Magnitudes are clipped to 1 as products, by the same instruction: what exceeds 1 by rounding has
// the code of 1.
__device__ Packed<E::int2> ternary_codes(const float (&x)[kLaneElements], float multiply,
                                         const Draw& draw, std::uint64_t block) {
  if (multiply == 0) return zero_codes<E::int2>();  // infinity * 0 is no code
  float v[kLaneElements];
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    v[i] = copysignf(__saturatef(fabsf(x[i]) * multiply), x[i]);
  }
  return pack_codes<Ternary::kElement, Ternary::kCoding, Ternary::kStochastic>(
      x, v, draw_block(draw, block));
}

// `tensor_magnitude` is what all values are clipped to; null: each group has its own.
template <typename Source>
__global__ void __launch_bounds__(kThreadsPerBlock)
    encode_ternary_kernel(Source source, EncodeShape shape, const float* tensor_magnitude,
                          EncodeOutput output) {
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t tile = warp * kTileElements;
  if (tile >= shape.elements) return;
  const std::size_t element = tile + threadIdx.x % kWarpLanes * kLaneElements;
  const std::size_t group = element >> shape.group_log2;
  const std::size_t first = group << shape.group_log2;
  float x[kLaneElements];
  load_tile(source, tile, x);
  const std::uint32_t bits = magnitude_bits(x);
  if (bits >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;

  float magnitude = 0;
  if (tensor_magnitude != nullptr) {
    magnitude = *tensor_magnitude;
  } else {
    const int lanes = shape.lanes_per_group;
    const float sum = sum_over_lanes(sum_lane(x, Term::value), lanes);
    const float squares = sum_over_lanes(sum_lane(x, Term::square), lanes);
    const MeanOf mean_of{shape.elements - first, shape.group_log2};
    magnitude = clipped_magnitude({mean_of(sum), mean_of(squares),
                                   over_lanes<C::symmetric>({.amax_bits = bits}, lanes).amax_bits});
  }
  const TernaryScale scale = ternary_scale(magnitude);
  const auto codes = ternary_codes(x, scale.multiply, shape.draw,
                                   shape.draw.first_block + element / kElementsPerDraw);
  const std::size_t offset = element * Ternary::kBits / 8;
  if (offset < shape.wire.payload_bytes) {
    *reinterpret_cast<Packed<E::int2>*>(output.wires + offset) = codes;
  }
  if (first == element && element < shape.elements) {
    store_scale<C::symmetric>(shape, static_cast<std::uint32_t>(group), scale.stored, output.wires);
  }
}

// Of the tensor's scale: the magnitude, padded to 16 bytes, then each strip's sums, sums of squares
// and largest magnitudes.
struct Scratch {
  float* magnitude = nullptr;
  float* sums = nullptr;
  float* squares = nullptr;
  std::uint32_t* amax_bits = nullptr;
};

template <typename Source>
__global__ void __launch_bounds__(kThreadsPerBlock) moments_kernel(Source source, Scratch scratch) {
  const std::size_t strip = strip_of_warp();
  if (strip >= source.elements) return;
  float x[kStripTiles][kLaneElements];
  std::uint32_t bits = 0;
  load_tiles(source, strip, x);
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) bits = max(bits, magnitude_bits(x[t]));
  const float sum = sum_strip(x, Term::value);
  const float squares = sum_strip(x, Term::square);
  bits = __reduce_max_sync(kAllLanes, bits);
  if (threadIdx.x % kWarpLanes != 0) return;
  scratch.sums[strip / kStripElements] = sum;
  scratch.squares[strip / kStripElements] = squares;
  scratch.amax_bits[strip / kStripElements] = bits;
}

__global__ void __launch_bounds__(kSumTerms)
    magnitude_kernel(Scratch scratch, std::size_t strips, std::size_t elements) {
  __shared__ std::uint32_t largest;
  if (threadIdx.x == 0) largest = 0;
  __syncthreads();
  std::uint32_t bits = 0;
  for (std::size_t i = threadIdx.x; i < strips; i += kSumTerms) {
    bits = max(bits, scratch.amax_bits[i]);
  }
  atomicMax(&largest, bits);
  const float sum = sum_over_strips(scratch.sums, strips);
  const float squares = sum_over_strips(scratch.squares, strips);
  if (threadIdx.x != 0) return;
  const auto count = static_cast<float>(elements);
  *scratch.magnitude =
      clipped_magnitude({__fdiv_rn(sum, count), __fdiv_rn(squares, count), largest});
}

Scratch scratch_of(std::byte* bytes, std::size_t strips) {
  auto* const floats = reinterpret_cast<float*>(bytes);
  float* const sums = floats + kWireAlignment / sizeof(float);
  return {floats, sums, sums + strips, reinterpret_cast<std::uint32_t*>(sums + 2 * strips)};
}

template <typename Value>
void encode_terngrad(const Format& format, const TensorSource<Value>& source, const Encoding& to,
                     cudaStream_t stream) {
  require_ternary_format(format);
  if (source.elements == 0) return;
  const float* magnitude = nullptr;
  if (format.group == kWholeTensor) {
    require(to.scratch != nullptr, "the scale of a tensor needs scratch");
    const std::size_t strips = strips_of(source.elements);
    const Scratch scratch = scratch_of(to.scratch, strips);
    launch(moments_kernel<TensorSource<Value>>,
           {.blocks = blocks_for(source.elements, kStripElements), .stream = stream}, source,
           scratch);
    launch(magnitude_kernel, {.threads = static_cast<int>(kSumTerms), .stream = stream}, scratch,
           strips, source.elements);
    magnitude = scratch.magnitude;
  }
  launch(encode_ternary_kernel<TensorSource<Value>>,
         {.blocks = blocks_for(source.elements, kTileElements), .stream = stream}, source,
         encode_shape(format, source.elements, to), magnitude,
         EncodeOutput{to.wires, to.nonfinite});
}

}  // namespace

std::size_t ternary_scratch_bytes(const Format& format, std::size_t elements) {
  if (format.group != kWholeTensor) return 0;
  return kWireAlignment + 3 * strips_of(elements) * sizeof(float);
}

void encode_ternary_async(const Format& format, Tensor<const float> values, const Encoding& to,
                          cudaStream_t stream) {
  encode_terngrad(format, TensorSource<float>{values.values, values.elements}, to, stream);
}

void encode_ternary_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                          cudaStream_t stream) {
  encode_terngrad(format, TensorSource<Bf16>{values.values, values.elements}, to, stream);
}

void decode_add_ternary_async(const Format& format, const std::byte* wire, Tensor<float> sums,
                              cudaStream_t stream) {
  decode_add_async(ternary_as_group(format), wire, sums, stream);
}

void decode_reduce_ternary_async(const Format& format, const Wires& wires, Tensor<float> sums,
                                 cudaStream_t stream) {
  decode_reduce_async(ternary_as_group(format), wires, sums, stream);
}

}  // namespace codecs::cuda
