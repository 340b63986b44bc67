// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/feedback/feedback.cuh"
#include "codecs/feedback/kernels.hpp"

namespace codecs::cuda {
namespace {

// Those of the registry's integers without a transform.
using FeedbackFormats =
    Formats<StaticFormat<E::int8, C::symmetric>, StaticFormat<E::int8, C::symmetric, kRandom>,
            StaticFormat<E::int8, C::symmetric, kNearest, false, 4>,
            StaticFormat<E::int8, C::symmetric, kRandom, false, 4>,
            StaticFormat<E::int4, C::symmetric>, StaticFormat<E::int4, C::symmetric, kRandom>,
            StaticFormat<E::int4, C::symmetric, kNearest, false, 2>,
            StaticFormat<E::int4, C::symmetric, kRandom, false, 2>,
            StaticFormat<E::int4, C::symmetric, kNearest, false, 4>,
            StaticFormat<E::int4, C::symmetric, kRandom, false, 4>,
            StaticFormat<E::int2, C::symmetric>, StaticFormat<E::int2, C::symmetric, kRandom>,
            StaticFormat<E::int8, C::full>, StaticFormat<E::int8, C::full, kNearest, false, 4>,
            StaticFormat<E::int4, C::full>, StaticFormat<E::int4, C::full, kNearest, false, 4>>;

template <typename Value>
void encode_with_feedback(const Format& format, const FeedbackSource<Value>& source,
                          const Encoding& to, cudaStream_t stream) {
  if (source.elements == 0) return;
  if (needs_tensor_amax(format)) launch_amax(source, to, stream);
  const EncodeShape shape = encode_shape(format, source.elements, to);
  with_format(FeedbackFormats{}, format, [&]<typename Static>(Static) {
    launch_encode<Static>(
        GroupFeedbackSource<Value, Static::kElement>{.of = source, .elements = source.elements},
        shape, InOrder{}, to, stream);
  });
}

// What was sent is made again from the residual, which is read anyway: it need not be stored.
template <typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    keep_lost_kernel(FeedbackSource<Value> source, const float* decoded, unsigned* nonfinite) {
  const std::size_t warp = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t tile = warp * kTileElements;
  if (tile >= source.elements) return;
  const auto fetched = source.template fetch<false>(tile);
  float sent[kLaneElements], residual[kLaneElements], back[kLaneElements];
  load_lane(decoded, source.elements, tile, back);
  source.take(fetched, sent);
  take_lane(fetched.residual, residual);
  if (nonfinite != nullptr && max(magnitude_bits(sent), magnitude_bits(back)) >= kInfinityBits) {
    *nonfinite = 1;
  }
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    residual[i] = next_residual(source.feedback, residual[i], sent[i], back[i]);
  }
  store_lane(residual, source.elements, tile, source.residual);
}

// codecs::sent_with(), whose NaNs another processor makes of other bits. Kernels of a codec's own need
// no such care: no code depends on a NaN's bits but those of float32 itself.
struct SentSink {
  float* sent = nullptr;
  std::size_t elements = 0;

  struct Nothing {};
  __device__ Nothing fetch(std::size_t) const { return {}; }
  __device__ void store(std::size_t tile, const float (&x)[kLaneElements], Nothing) const {
    float quiet[kLaneElements];
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      quiet[i] = magnitude_bits(x[i]) > kInfinityBits ? __uint_as_float(0x7FC00000u) : x[i];
    }
    store_lane(quiet, elements, tile, sent);
  }
};

template <typename Value>
void add_residual(const FeedbackSource<Value>& source, float* sent, cudaStream_t stream) {
  launch_copy<false>(source, SentSink{sent, source.elements}, nullptr, stream);
}

template <typename Value>
void keep_lost(const FeedbackSource<Value>& source, const float* decoded, unsigned* nonfinite,
               cudaStream_t stream) {
  if (source.elements == 0) return;
  launch(keep_lost_kernel<Value>,
         {.blocks = blocks_for(source.elements, kTileElements), .stream = stream}, source, decoded,
         nonfinite);
}

}  // namespace

void encode_feedback_async(const Format& format, const Feedback& feedback,
                           Tensor<const float> values, float* residual, const Encoding& to,
                           cudaStream_t stream) {
  encode_with_feedback(format,
                       FeedbackSource<float>{values.values, values.elements, residual, feedback},
                       to, stream);
}

void encode_feedback_async(const Format& format, const Feedback& feedback,
                           Tensor<const Bf16> values, float* residual, const Encoding& to,
                           cudaStream_t stream) {
  encode_with_feedback(
      format, FeedbackSource<Bf16>{values.values, values.elements, residual, feedback}, to, stream);
}

void add_residual_async(const Feedback& feedback, Tensor<const float> values, float* residual,
                        float* sent, cudaStream_t stream) {
  add_residual(FeedbackSource<float>{values.values, values.elements, residual, feedback}, sent,
               stream);
}

void add_residual_async(const Feedback& feedback, Tensor<const Bf16> values, float* residual,
                        float* sent, cudaStream_t stream) {
  add_residual(FeedbackSource<Bf16>{values.values, values.elements, residual, feedback}, sent,
               stream);
}

void keep_lost_async(const Feedback& feedback, Tensor<const float> values, float* residual,
                     const float* decoded, unsigned* nonfinite, cudaStream_t stream) {
  keep_lost(FeedbackSource<float>{values.values, values.elements, residual, feedback}, decoded,
            nonfinite, stream);
}

void keep_lost_async(const Feedback& feedback, Tensor<const Bf16> values, float* residual,
                     const float* decoded, unsigned* nonfinite, cudaStream_t stream) {
  keep_lost(FeedbackSource<Bf16>{values.values, values.elements, residual, feedback}, decoded,
            nonfinite, stream);
}

}  // namespace codecs::cuda
