// SPDX-License-Identifier: Apache-2.0
// Sources of encodes with error feedback: what is lost goes by codecs/feedback/feedback.hpp's rule.
#pragma once

#include "codecs/cuda/encode.cuh"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

__device__ inline float finite_or(float value, float otherwise) {
  return magnitude_bits(value) < kInfinityBits ? value : otherwise;
}

// codecs::residual_after().
__device__ inline float next_residual(const Feedback& feedback, float residual, float sent,
                                      float decoded) {
  return finite_or(__fmaf_rn(feedback.keep, residual, feedback.take * (sent - decoded)), residual);
}

template <typename Value>
struct FeedbackSource {
  const Value* values = nullptr;
  std::size_t elements = 0;
  float* residual = nullptr;
  Feedback feedback = {};

  struct Both {
    Fetched<Value> values;
    Fetched<float> residual;
  };
  template <bool kWhole>
  __device__ Both fetch(std::size_t tile) const {
    return {fetch_lane<kWhole>(values, elements, tile),
            fetch_lane<kWhole>(residual, elements, tile)};
  }
  __device__ void take(const Both& both, float (&x)[kLaneElements]) const {
    float old[kLaneElements];
    take_lane(both.values, x);
    take_lane(both.residual, old);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      x[i] = __fmaf_rn(feedback.carry, old[i], feedback.gain * x[i]);
    }
  }

  // `lost` is sent - decoded. All lanes of a warp must call. The residual is read again only where
  // the rule needs it: a product with keep = 0 adds nothing to what is finite, but for the sign of a
  // zero, which a difference has only where a factor made it so small.
  __device__ void keep(std::size_t tile, float (&lost)[kLaneElements]) const {
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) lost[i] = feedback.take * lost[i];
    if (feedback.keep != 0 || feedback.take != 1 ||
        __any_sync(kAllLanes, magnitude_bits(lost) >= kInfinityBits)) {
      float old[kLaneElements];
      load_lane(residual, elements, tile, old);
#pragma unroll
      for (int i = 0; i < kLaneElements; ++i) {
        lost[i] = finite_or(__fmaf_rn(feedback.keep, old[i], lost[i]), old[i]);
      }
    }
    store_lane(lost, elements, tile, residual);
  }
};

// For the kernels of the group formats, whose codes are of kElement.
template <typename Value, Element kElement>
struct GroupFeedbackSource {
  FeedbackSource<Value> of;
  std::size_t elements = 0;

  template <bool kWhole>
  __device__ auto fetch(std::size_t tile) const {
    return of.template fetch<kWhole>(tile);
  }
  __device__ void take(const typename FeedbackSource<Value>::Both& both,
                       float (&x)[kLaneElements]) const {
    of.take(both, x);
  }

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
