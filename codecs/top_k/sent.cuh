// SPDX-License-Identifier: Apache-2.0
// What is sent of a chunk, on its way to shared memory; and with error feedback what was lost of it, on
// its way back.
#pragma once

#include <algorithm>

#include "codecs/feedback/feedback.cuh"
#include "codecs/feedback/kernels.hpp"
#include "codecs/top_k/threshold.cuh"

namespace codecs::cuda {

template <typename Value>
struct TopKInput {
  TileMap tiles = {};
  const Value* values = nullptr;
  Residual residual = {};
};

// Vectors that a lane has in flight of each array that it reads, and of how many parts of the chunk it
// knows the largest magnitude.
template <int kChunk, bool kFeedback>
inline constexpr int kBatch = std::min(Selection<kChunk>::kPerLane, kFeedback ? 8 : 16);
template <int kChunk>
inline constexpr int kMaxima = std::min(Selection<kChunk>::kPerLane, 8);

// Of a lane's vectors from row `first` on.
__device__ inline Places places_from(int first) {
  return {.first = 4 * (lane() + static_cast<unsigned>(first) * kWarpLanes),
          .stride = 4 * kWarpLanes};
}

__device__ inline float largest_of(const uint4& v) {
  // A maximum that misses a NaN is a bound that is too low, no more.
  return fmaxf(fmaxf(fabsf(__uint_as_float(v.x)), fabsf(__uint_as_float(v.y))),
               fmaxf(fabsf(__uint_as_float(v.z)), fabsf(__uint_as_float(v.w))));
}

// What is sent of a value, in place.
__device__ inline void send(const Feedback& feedback, std::uint32_t residual,
                            std::uint32_t& value) {
  value = __float_as_uint(
      __fmaf_rn(feedback.carry, __uint_as_float(residual), feedback.gain * __uint_as_float(value)));
}
__device__ inline void send(const Feedback& feedback, const uint4& residual, uint4& value) {
  send(feedback, residual.x, value.x);
  send(feedback, residual.y, value.y);
  send(feedback, residual.z, value.z);
  send(feedback, residual.w, value.w);
}

// The values that are to be sent of the tile that starts at `first`.
template <int kChunk, bool kFeedback, typename Value>
__device__ void load_whole(const TopKInput<Value>& in, std::size_t first,
                           float (&maxima)[kMaxima<kChunk>], Selection<kChunk>& s) {
  constexpr int kPerLane = Selection<kChunk>::kPerLane, kVectors = kBatch<kChunk, kFeedback>;
#pragma unroll
  for (int b = 0; b < kPerLane; b += kVectors) {
    uint4 values[kVectors], residuals[kVectors];
    const Places places = places_from(b);
    in.tiles.load_whole(in.values + first, places, values);
    if constexpr (kFeedback) in.tiles.load_whole(in.residual.values + first, places, residuals);
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      if constexpr (kFeedback) send(in.residual.feedback, residuals[v], values[v]);
      s.in_row(b + v) = values[v];
      float& largest = maxima[(b + v) * kMaxima<kChunk> / kPerLane];
      largest = fmaxf(largest, largest_of(values[v]));
    }
  }
}

// Of a tile that is not whole: one vector after the other, in little code, with zeros beyond the end.
template <int kChunk, bool kFeedback, typename Value>
__device__ void load_parts(const TopKInput<Value>& in, std::size_t first,
                           float (&maxima)[kMaxima<kChunk>], Selection<kChunk>& s) {
  constexpr int kPerLane = Selection<kChunk>::kPerLane;
#pragma unroll 1
  for (int v = 0; v < kPerLane; ++v) {
    uint4 value[1], residual[1];
    in.tiles.load(in.values, first, places_from(v), value);
    if constexpr (kFeedback) {
      in.tiles.load(in.residual.values, first, places_from(v), residual);
      send(in.residual.feedback, residual[0], value[0]);
    }
    s.in_row(v) = value[0];
  }
  __syncwarp();
#pragma unroll
  for (int v = 0; v < kPerLane; ++v) {
    float& largest = maxima[v * kMaxima<kChunk> / kPerLane];
    largest = fmaxf(largest, largest_of(s.own(v)));
  }
}

// Of one that was sent as `lost` + what it was decoded to.
__device__ inline void take_lost(const Feedback& feedback, std::uint32_t old, std::uint32_t& lost) {
  lost = __float_as_uint(next_residual(feedback, __uint_as_float(old), __uint_as_float(lost), 0));
}
__device__ inline void take_lost(const Feedback& feedback, const uint4& old, uint4& lost) {
  take_lost(feedback, old.x, lost.x);
  take_lost(feedback, old.y, lost.y);
  take_lost(feedback, old.z, lost.z);
  take_lost(feedback, old.w, lost.w);
}

// Whether the residual is what was lost, where that is finite: a product with keep = 0 adds nothing
// then. Of zeros it decides the sign, but where one is -0, the residual was negative, or -0, unless a sum
// of the smallest numbers was rounded to it.
__device__ inline bool keeps_lost(const Feedback& feedback) {
  return feedback.keep == 0 && feedback.take == 1 && feedback.carry >= 0;
}

// Makes the residual of what is in shared memory: sent less decoded. It is read again only where the
// rule needs it.
template <int kChunk>
__device__ void store_residual(const TileMap& tiles, const Residual& residual, std::size_t first,
                               bool read, Selection<kChunk>& s) {
  constexpr int kPerLane = Selection<kChunk>::kPerLane, kVectors = kBatch<kChunk, true>;
  __syncwarp();
  if (!read && tiles.is_whole(first)) {
#pragma unroll
    for (int b = 0; b < kPerLane; b += kVectors) {
      uint4 lost[kVectors];
#pragma unroll
      for (int v = 0; v < kVectors; ++v) lost[v] = s.in_row(b + v);
      tiles.store_whole(lost, places_from(b), residual.values + first);
    }
    return;
  }
#pragma unroll 4
  for (int v = 0; v < kPerLane; ++v) {
    uint4 old[1], lost[1] = {s.in_row(v)};
    if (read) {
      tiles.load(residual.values, first, places_from(v), old);
      take_lost(residual.feedback, old[0], lost[0]);
    }
    tiles.store(lost, first, places_from(v), residual.values);
  }
}

// What is left of a value that was sent; 0 + decoded, as every decode starts its sum at 0.
__device__ inline float residual_of(const Feedback& feedback, float old, float sent,
                                    float decoded) {
  return next_residual(feedback, old, sent, 0.0f + decoded);
}

}  // namespace codecs::cuda
