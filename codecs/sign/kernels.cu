// SPDX-License-Identifier: Apache-2.0
#include <type_traits>

#include "codecs/feedback/feedback.cuh"
#include "codecs/sign/codes.cuh"
#include "codecs/sign/kernels.hpp"
#include "codecs/sign/sign.hpp"

namespace codecs::cuda {
namespace {

struct SignShape {
  EncodeShape of;
  std::size_t wire_elements = 0;  // of each wire, where there are several; else 0
  int tiles_per_group = 1;
  Term term = Term::magnitude;
};

__device__ float mean_scale(float sum, float count, Term term) {
  const float mean = __fdiv_rn(sum, count);
  const float scale = term == Term::square ? __fsqrt_rn(mean) : mean;
  const bool finite = (__float_as_uint(scale) & 0x7FFFFFFFu) < kInfinityBits;
  return finite ? scale : __uint_as_float(kNaNScale);
}

// The sums of the groups that the lane's values of each tile belong to. All threads of the block
// must call: the largest groups are those of several warps.
__device__ void sum_groups(const SignShape& shape, const float (&x)[kStripTiles][kLaneElements],
                           float (&sums)[kStripTiles]) {
  __shared__ float tiles[kWarpsPerBlock * kStripTiles];
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) {
    sums[t] = sum_over_lanes(sum_lane(x[t], shape.term), shape.of.lanes_per_group);
  }
  if (shape.tiles_per_group == 2) {
    sums[0] = sums[1] = sums[0] + sums[1];
    sums[2] = sums[3] = sums[2] + sums[3];
  } else if (shape.tiles_per_group == kStripTiles) {
    sums[0] = sums[1] = sums[2] = sums[3] = ((sums[0] + sums[1]) + sums[2]) + sums[3];
  } else if (shape.tiles_per_group > kStripTiles) {
    const int first = static_cast<int>(threadIdx.x) / kWarpLanes * kStripTiles;
#pragma unroll
    for (int t = 0; t < kStripTiles; ++t) tiles[first + t] = sums[t];
    __syncthreads();
    const int group = first / shape.tiles_per_group * shape.tiles_per_group;
    float sum = 0;
    for (int i = 0; i < shape.tiles_per_group; ++i) sum += tiles[group + i];
    sums[0] = sums[1] = sums[2] = sums[3] = sum;
  }
}

__device__ void scale_groups(const SignShape& shape, std::size_t element,
                             const float (&x)[kStripTiles][kLaneElements],
                             float (&scales)[kStripTiles]) {
  float sums[kStripTiles];
  sum_groups(shape, x, sums);
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) {
    const std::size_t first = (element + t * kTileElements) >> shape.of.group_log2
                                                                   << shape.of.group_log2;
    const std::size_t group = std::size_t{1} << shape.of.group_log2;
    const std::size_t left = shape.of.elements - first;
    const auto count = static_cast<float>(static_cast<int>(left < group ? left : group));
    scales[t] = mean_scale(sums[t], count, shape.term);
  }
}

// Where a value's bit goes.
struct Place {
  std::byte* wire = nullptr;
  std::size_t element = 0;  // of the wire
};
// The payload's, whose end is on 16 bytes.
__device__ std::size_t padded_elements(const SignShape& shape) {
  return (shape.of.elements + 8 * kWireAlignment - 1) / (8 * kWireAlignment) * (8 * kWireAlignment);
}
__device__ Place place_of(const SignShape& shape, std::size_t element, std::byte* wires) {
  if (shape.wire_elements == 0) return {wires, element};
  return {wires + element / shape.wire_elements * shape.of.wire.bytes,
          element % shape.wire_elements};
}

// `tensor_scale` is that of all values; null: each group has its own.
template <typename Source>
__global__ void __launch_bounds__(kThreadsPerBlock, kSignBlocks)
    encode_signs_kernel(Source source, SignShape shape, const float* tensor_scale,
                        EncodeOutput output) {
  const std::size_t strip = strip_of_warp();
  const std::size_t element = strip + threadIdx.x % kWarpLanes * kLaneElements;
  float x[kStripTiles][kLaneElements];
  load_tiles(source, strip, x);
  float scales[kStripTiles];
  if (tensor_scale == nullptr) {
    scale_groups(shape, element, x, scales);
  } else {
    scales[0] = scales[1] = scales[2] = scales[3] = *tensor_scale;
  }

  std::uint32_t bits[kStripTiles];
  bool finite = true;
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) {
    const bool encoded = scales[t] == scales[t];
    finite = finite && (encoded || element + t * kTileElements >= shape.of.elements);
    bits[t] = encoded ? sign_bits(x[t]) : 0;
  }
  if (!finite && output.nonfinite != nullptr) *output.nonfinite = 1;
  const uint2 words =
      transpose_halves(make_uint2(bits[0] | bits[1] << 16, bits[2] | bits[3] << 16));
  const std::size_t first_bit = bits_offset(strip) * 8;
  if (first_bit < padded_elements(shape)) {
    const Place to = place_of(shape, first_bit, output.wires);
    *reinterpret_cast<uint2*>(to.wire + to.element / 8) = words;
  }
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) {
    const std::size_t at = element + t * kTileElements;
    const Place to = place_of(shape, at, output.wires);
    const std::size_t group = to.element >> shape.of.group_log2;
    if (at < shape.of.elements && group << shape.of.group_log2 == to.element) {
      store_scale<Coding::symmetric>(shape.of, static_cast<std::uint32_t>(group), scales[t],
                                     to.wire);
    }
    if constexpr (requires { source.keep(strip, x[t]); }) {
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) x[t][i] -= signed_scale(bits[t], i, scales[t]);
      source.keep(strip + t * kTileElements, x[t]);
    }
  }
}

template <typename Source>
__global__ void __launch_bounds__(kThreadsPerBlock)
    sum_strips_kernel(Source source, Term term, float* sums) {
  const std::size_t strip = strip_of_warp();
  if (strip >= source.elements) return;
  float x[kStripTiles][kLaneElements];
  load_tiles(source, strip, x);
  const float sum = sum_strip(x, term);
  if (threadIdx.x % kWarpLanes == 0) sums[strip / kStripElements] = sum;
}

__global__ void __launch_bounds__(kSumTerms)
    tensor_scale_kernel(const float* sums, std::size_t elements, Term term, float* scale) {
  const float sum = sum_over_strips(sums, (elements + kStripElements - 1) / kStripElements);
  if (threadIdx.x == 0) *scale = mean_scale(sum, static_cast<float>(elements), term);
}

// A scale for groups of 2048 and more is one of the warp's, which saves loads.
template <bool kWarpScale, typename Sink>
__global__ void __launch_bounds__(kThreadsPerBlock, kSignBlocks)
    decode_signs_kernel(Wires wires, SignShape shape, Sink sink) {
  // Wires whose loads are in flight together; a model adds one at a time.
  constexpr int kBatch = std::is_same_v<Sink, AddSink<Bf16>> ? 1
                         : kWarpScale                        ? kSignWiresInFlight
                                                             : kSignWiresInFlight / 2;
  const std::size_t strip = strip_of_warp();
  if (strip >= shape.of.elements) return;
  const std::size_t element = strip + threadIdx.x % kWarpLanes * kLaneElements;
  const std::size_t offset = bits_offset(strip);
  decltype(sink.fetch(strip)) before[kStripTiles];
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) before[t] = sink.fetch(strip + t * kTileElements);
  float x[kStripTiles][kLaneElements] = {};
  for (int first = 0; first < wires.inputs; first += kBatch) {
    uint2 words[kBatch];
    float scales[kBatch][kStripTiles];
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      if (first + k >= wires.inputs) continue;
      const std::byte* wire =
          wires.bytes + static_cast<std::size_t>(first + k) * shape.of.wire.bytes;
      const auto* stored = reinterpret_cast<const float*>(wire + shape.of.wire.payload_bytes);
      words[k] = offset < shape.of.wire.payload_bytes
                     ? __ldg(reinterpret_cast<const uint2*>(wire + offset))
                     : make_uint2(0, 0);
#pragma unroll
      for (int t = 0; t < kStripTiles; ++t) {
        const std::size_t at = kWarpScale ? strip : element + t * kTileElements;
        scales[k][t] = kWarpScale && t > 0      ? scales[k][0]
                       : at < shape.of.elements ? __ldg(stored + (at >> shape.of.group_log2))
                                                : 0.0f;
      }
    }
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      if (first + k >= wires.inputs) continue;
      words[k] = transpose_halves(words[k]);
#pragma unroll
      for (int t = 0; t < kStripTiles; ++t) {
        const std::uint32_t word = t < 2 ? words[k].x : words[k].y;
#pragma unroll
        for (int i = 0; i < kLaneElements; ++i) {
          x[t][i] += signed_scale(word, t % 2 * kLaneElements + i, scales[k][t]);
        }
      }
    }
  }
#pragma unroll
  for (int t = 0; t < kStripTiles; ++t) sink.store(strip + t * kTileElements, x[t], before[t]);
}

SignShape sign_shape(const Format& format, std::size_t elements, const Encoding& to) {
  require_sign_format(format);
  const bool squares = format.scale == Scale::root_mean_square;
  const bool tiles = format.group != kWholeTensor && format.group > kTileElements;
  return {.of = encode_shape(format, elements, to),
          .tiles_per_group = tiles ? static_cast<int>(format.group / kTileElements) : 1,
          .term = squares ? Term::square : Term::magnitude};
}

// Scratch: the scale, padded to 16 bytes, and the sum of each strip. With `wire_elements` the
// tensor is cut into wires of so many.
template <typename Source>
void launch_signs(const Format& format, const Source& source, const Encoding& to,
                  cudaStream_t stream, std::size_t wire_elements = 0) {
  SignShape shape = sign_shape(format, source.elements, to);
  shape.wire_elements = wire_elements;
  if (wire_elements != 0) shape.of.wire = wire_shape(format, wire_elements);
  if (source.elements == 0) return;
  const Grid grid{.blocks = blocks_for(source.elements, kStripElements), .stream = stream};
  float* tensor_scale = nullptr;
  if (format.group == kWholeTensor) {
    require(to.scratch != nullptr, "the scale of a tensor needs scratch");
    tensor_scale = reinterpret_cast<float*>(to.scratch);
    float* const sums = tensor_scale + kWireAlignment / sizeof(float);
    launch(sum_strips_kernel<Source>, grid, source, shape.term, sums);
    launch(tensor_scale_kernel, {.threads = static_cast<int>(kSumTerms), .stream = stream}, sums,
           source.elements, shape.term, tensor_scale);
  }
  launch(encode_signs_kernel<Source>, grid, source, shape, tensor_scale,
         EncodeOutput{to.wires, to.nonfinite});
}

template <typename Sink>
void launch_decode_signs(const Format& format, const Wires& wires, const Sink& sink,
                         cudaStream_t stream) {
  const SignShape shape = sign_shape(format, sink.elements, {});
  if (sink.elements == 0) return;
  const bool warp_scale = format.group >= std::size_t{kStripElements};
  launch(warp_scale ? decode_signs_kernel<true, Sink> : decode_signs_kernel<false, Sink>,
         {.blocks = blocks_for(sink.elements, kStripElements), .stream = stream}, wires, shape,
         sink);
}

}  // namespace

std::size_t sign_scratch_bytes(const Format& format, std::size_t elements) {
  if (format.group != kWholeTensor) return 0;
  return kWireAlignment + strips_of(elements) * sizeof(float);
}

void encode_signs_async(const Format& format, Tensor<const float> values, const Encoding& to,
                        cudaStream_t stream) {
  launch_signs(format, TensorSource<float>{values.values, values.elements}, to, stream);
}

void encode_signs_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                        cudaStream_t stream) {
  launch_signs(format, TensorSource<Bf16>{values.values, values.elements}, to, stream);
}

void encode_signs_feedback_async(const Format& format, const Feedback& feedback,
                                 Tensor<const float> values, float* residual, const Encoding& to,
                                 cudaStream_t stream) {
  launch_signs(format, FeedbackSource<float>{values.values, values.elements, residual, feedback},
               to, stream);
}

void encode_signs_feedback_async(const Format& format, const Feedback& feedback,
                                 Tensor<const Bf16> values, float* residual, const Encoding& to,
                                 cudaStream_t stream) {
  launch_signs(format, FeedbackSource<Bf16>{values.values, values.elements, residual, feedback}, to,
               stream);
}

void encode_sign_shards_async(const Format& format, std::size_t shard_elements,
                              const FeedbackTensor& values, const Encoding& to,
                              cudaStream_t stream) {
  require(format.group == kWholeTensor && shard_elements % (8 * kWireAlignment) == 0,
          "shards of a multiple of 128 elements share the scale of their tensor");
  launch_signs(format,
               FeedbackSource<float>{values.values, values.elements, values.residual, Feedback{}},
               to, stream, shard_elements);
}

void decode_reduce_signs_async(const Format& format, const Wires& wires, Tensor<float> sums,
                               cudaStream_t stream) {
  launch_decode_signs(format, wires, TensorSink<float>{sums.values, sums.elements}, stream);
}

void decode_reduce_signs_async(const Format& format, const Wires& wires, Tensor<Bf16> sums,
                               cudaStream_t stream) {
  launch_decode_signs(format, wires, TensorSink<Bf16>{sums.values, sums.elements}, stream);
}

void decode_add_signs_async(const Format& format, const std::byte* wire, Tensor<Bf16> model,
                            cudaStream_t stream) {
  launch_decode_signs(format, {.bytes = wire}, AddSink<Bf16>{model.values, model.elements}, stream);
}

void decode_add_signs_async(const Format& format, const std::byte* wire, Tensor<float> sums,
                            cudaStream_t stream) {
  launch_decode_signs(format, {.bytes = wire}, AddSink<float>{sums.values, sums.elements}, stream);
}

}  // namespace codecs::cuda
