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

}  // namespace codecs::cuda
