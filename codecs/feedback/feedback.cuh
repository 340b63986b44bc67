// Where the kernels of a codec get what they encode, and what they do with what is lost: nothing,
// or codecs/feedback/feedback.hpp's rule.
#pragma once

#include "codecs/cuda/sources.cuh"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

template <typename Value>
struct ForgetfulSource {
  static constexpr bool kKeepsResidual = false;
  const Value* values = nullptr;
  std::size_t elements = 0;

  __device__ void load(std::size_t tile, float (&x)[kLaneElements]) const {
    load_lane(values, elements, tile, x);
  }
  __device__ void keep(std::size_t, float (&)[kLaneElements]) const {}
};

template <typename Value>
struct FeedbackSource {
  static constexpr bool kKeepsResidual = true;
  const Value* values = nullptr;
  std::size_t elements = 0;
  float* residual = nullptr;
  Feedback feedback = {};

  __device__ void load(std::size_t tile, float (&x)[kLaneElements]) const {
    float old[kLaneElements];
    load_lane(values, elements, tile, x);
    load_lane(residual, elements, tile, old);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      x[i] = __fmaf_rn(feedback.carry, old[i], feedback.gain * x[i]);
    }
  }

  // `lost` is sent - decoded. The residual is read again only where the rule needs it: a product
  // with keep = 0 adds nothing.
  __device__ void keep(std::size_t tile, float (&lost)[kLaneElements]) const {
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) lost[i] = feedback.take * lost[i];
    if (feedback.keep != 0) {
      float old[kLaneElements];
      load_lane(residual, elements, tile, old);
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) lost[i] = __fmaf_rn(feedback.keep, old[i], lost[i]);
    }
    store_lane(lost, elements, tile, residual);
  }
};

// For the kernels of the group formats, whose codes are of kElement.
template <typename Value, Element kElement>
struct GroupFeedbackSource {
  FeedbackSource<Value> of;
  std::size_t elements = 0;

  __device__ void load(std::size_t tile, float (&x)[kLaneElements]) const { of.load(tile, x); }

  template <Coding kCoding>
  __device__ void remember(std::size_t tile, const float (&x)[kLaneElements],
                           const Packed<kElement>& codes, const GroupScale<kCoding>& scale) const {
    float lost[kLaneElements] = {};
    add_codes<kElement, kCoding>(codes, decoded_step<kElement, kCoding>(scale.stored, 1.0f), lost);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) lost[i] = x[i] - lost[i];
    of.keep(tile, lost);
  }
};

}  // namespace codecs::cuda
