// SPDX-License-Identifier: Apache-2.0
// EDEN's codes of a thread, from its values and to their sums. The arithmetic is that of
// codecs/eden/reference.cpp, operation by operation.
#pragma once

#include <utility>

#include "codecs/cuda/pack.cuh"
#include "codecs/cuda/random_signs.cuh"
#include "codecs/cuda/tuning.hpp"
#include "codecs/eden/eden.hpp"

namespace codecs::cuda {

// Values of a thread: 64, where a group has enough for a warp of such threads. Then the rotation hands
// each on once, and what a thread does once is for more values.
template <int kLog>
inline constexpr int kEdenHeldLog = kLog < 10    ? 4
                                    : kLog == 10 ? 5
                                                 : 6;
template <int kLog>
using EdenTile = RotationTile<kLog, kEdenHeldLog<kLog>>;

template <int kLog>
inline constexpr int kEncodeBlocks = kEdenEncodeThreads / EdenTile<kLog>::kThreads;
template <int kLog>
inline constexpr int kDecodeBlocks = kEdenDecodeThreads / EdenTile<kLog>::kThreads;

inline constexpr int kWordCodes = static_cast<int>(kEdenWord);

// Words of 16 codes that a thread has of its group: after the rotation, number m of thread t is word
// t + m kLanes, and its code k is that of value m + k kWords.
template <typename Tile>
inline constexpr int kEdenWords = Tile::kHeld / kWordCodes;

// Sizes and offsets of a wire.
struct EdenShape {
  std::size_t wire_bytes = 0;
  std::size_t scales = 0;  // offset
  std::size_t groups = 0;
};

// 16 codes: code k is in the bits from k * kBits on. codes[0] holds the first 8 of 4 bits or all
// magnitudes of 3 bits, and codes[1] the rest.
struct EdenCodes {
  std::uint32_t codes[2] = {};
};

// A thread's codes of its group, and the group's scale.
template <typename Tile>
struct EdenWords {
  EdenCodes words[kEdenWords<Tile>] = {};
  float scale = 0;
};

// As constants of their own: an array's operator is a function of the host.
template <int kBits>
constexpr float centroid(int index) {
  const auto at = static_cast<std::size_t>(index);
  switch (kBits) {
    case 1:
      return kLloydMax1.at(at);
    case 2:
      return kLloydMax2.at(at);
    case 3:
      return kLloydMax3.at(at);
    default:
      return kLloydMax4.at(at);
  }
}
template <int kBits, int kIndex>
inline constexpr float kCentroid = centroid<kBits>(kIndex);
// Between centroids kIndex and kIndex + 1.
template <int kBits, int kIndex>
inline constexpr float kThreshold = (centroid<kBits>(kIndex) + centroid<kBits>(kIndex + 1)) / 2;

template <int kBits>
inline constexpr int kMagnitudes = 1 << (kBits - 1);

template <int kBits, int... kIndices>
__device__ float centroid_at(unsigned index, std::integer_sequence<int, kIndices...>) {
  float found = 0;
  ((found = index == kIndices ? kCentroid<kBits, kIndices> : found), ...);
  return found;
}
template <int kBits, int... kIndices>
__device__ float threshold_at(unsigned index, std::integer_sequence<int, kIndices...>) {
  float found = 0;
  ((found = index == kIndices ? kThreshold<kBits, kIndices> : found), ...);
  return found;
}

// Tables are a warp's registers: a shuffle looks up what the lane of a number has, by the lowest 5
// bits of any number, and never has a bank conflict.
__device__ inline float look_up(float table, std::uint32_t number) {
  return __shfl_sync(kAllLanes, table, static_cast<int>(number));
}

// By magnitudes from bit kShift on.
template <int kBits, int kShift = 0>
__device__ float magnitude_table() {
  return centroid_at<kBits>(threadIdx.x >> kShift & (kMagnitudes<kBits> - 1),
                            std::make_integer_sequence<int, kMagnitudes<kBits>>{});
}
// By codes from bit kShift on: a magnitude and, above it, the sign.
template <int kBits, int kShift = 0>
__device__ float code_table() {
  const float level = magnitude_table<kBits, kShift>();
  return (threadIdx.x >> kShift & kMagnitudes<kBits>) != 0 ? -level : level;
}
// By cells (below).
template <int kBits>
__device__ float threshold_table() {
  constexpr int kCells = kMagnitudes<kBits> - 1;
  return threshold_at<kBits>(threadIdx.x & (kMagnitudes<kBits> - 1),
                             std::make_integer_sequence<int, kCells>{});
}

// Cell i of magnitudes has threshold i alone: cells are equally wide, and end between thresholds, the
// first at kFirst.
template <int kBits>
struct EdenCells {
  static constexpr int kLast = kMagnitudes<kBits> - 2;
  static constexpr float kFirst = kBits == 4 ? 0.38f : 0.77f;
  static constexpr float kWidth = kBits == 4 ? 0.32f : 0.63f;
};
// So wide of the thresholds that rounding does not matter.
template <int kBits>
constexpr bool cells_hold_thresholds() {
  using Of = EdenCells<kBits>;
  for (int i = 0; i < Of::kLast; ++i) {
    const auto threshold = [](int at) {
      return (centroid<kBits>(at) + centroid<kBits>(at + 1)) / 2;
    };
    const float end = Of::kFirst + static_cast<float>(i) * Of::kWidth;
    if (end < threshold(i) + 0.05f || end > threshold(i + 1) - 0.05f) return false;
  }
  return true;
}
static_assert(cells_hold_thresholds<3>() && cells_hold_thresholds<4>());

// The code of a magnitude, above the bits of kWhole: its cell's number, and one more above the
// cell's threshold. `magnitude` is x times inverse.
template <int kBits>
__device__ std::uint32_t whole_code(float x, float inverse, float magnitude, float thresholds) {
  using Of = EdenCells<kBits>;
  constexpr float kPart = 1 / (Of::kWidth * Of::kLast);  // of all cells but the last
  const float part =
      __saturatef(__fmaf_rn(x, inverse * kPart, 0.5f / Of::kLast - Of::kFirst * kPart));
  const std::uint32_t cell = __float_as_uint(__fmaf_rn(part, Of::kLast, kWhole));
  return cell + (__float_as_uint(look_up(thresholds, cell) - magnitude) >> 31);
}

// Word t of the codes of a group of kBlock, which begin at `bytes`.
template <int kBits, int kBlock>
__device__ void store_word(const EdenCodes& word, int t, std::byte* bytes) {
  const auto low = static_cast<std::uint16_t>(word.codes[0]);
  const auto signs = static_cast<std::uint16_t>(word.codes[1]);
  if constexpr (kBits == 1) reinterpret_cast<std::uint16_t*>(bytes)[t] = low;
  if constexpr (kBits == 2 || kBits == 3) {
    reinterpret_cast<std::uint32_t*>(bytes)[t] = word.codes[0];
  }
  if constexpr (kBits == 3) reinterpret_cast<std::uint16_t*>(bytes + kBlock / 4)[t] = signs;
  if constexpr (kBits == 4) {
    reinterpret_cast<uint2*>(bytes)[t] = make_uint2(word.codes[0], word.codes[1]);
  }
}

template <int kBits, int kBlock>
__device__ EdenCodes load_word(const std::byte* bytes, int t) {
  EdenCodes word;
  if constexpr (kBits == 1) {
    word.codes[0] = __ldg(reinterpret_cast<const std::uint16_t*>(bytes) + t);
  }
  if constexpr (kBits == 2 || kBits == 3) {
    word.codes[0] = __ldg(reinterpret_cast<const std::uint32_t*>(bytes) + t);
  }
  if constexpr (kBits == 3) {
    word.codes[1] = __ldg(reinterpret_cast<const std::uint16_t*>(bytes + kBlock / 4) + t);
  }
  if constexpr (kBits == 4) {
    const uint2 both = __ldg(reinterpret_cast<const uint2*>(bytes) + t);
    word = {{both.x, both.y}};
  }
  return word;
}

// The codes' signs, each in the highest of kBits bits; of 3 bits, in words of their own.
template <int kBits, typename Tile>
__device__ EdenWords<Tile> signs_of_codes(const float (&x)[Tile::kHeld]) {
  constexpr int kWords = kEdenWords<Tile>;
  constexpr int kStep = kBits == 3 ? 1 : kBits;
  constexpr std::uint32_t kSigns = 0xFFFFFFFFu / ((1u << kStep) - 1) << (kStep - 1);
  EdenWords<Tile> group;
#pragma unroll
  for (int m = 0; m < kWords; ++m) {
#pragma unroll
    for (int k = kWordCodes - 1; k >= 0; --k) {
      std::uint32_t& word = group.words[m].codes[kBits == 3 ? 1 : k * kBits / 32];
      // Takes in a value's highest bits.
      word = __funnelshift_l(__float_as_uint(x[m + k * kWords]), word, kStep);
    }
    for (std::uint32_t& word : group.words[m].codes) word &= kSigns;
  }
  return group;
}

// Adds the magnitudes of codes x * inverse to `word`; the sum of their centroids times x.
template <int kBits, int kWords>
__device__ float add_magnitudes(const float* x, float inverse, EdenCodes& word) {
  float product = 0;
  if constexpr (kBits <= 2) {
#pragma unroll
    for (int k = 0; k < kWordCodes; ++k) {
      const float value = x[k * kWords];
      const bool high = kBits == 2 && value * inverse > kThreshold<2, 0>;
      if (high) word.codes[0] |= 1u << (k * kBits);
      product = __fmaf_rn(high ? kCentroid<2, 1> : kCentroid<kBits, 0>, value, product);
    }
  } else {
    constexpr int kStep = kBits == 3 ? 2 : 4;
    const float centroids = magnitude_table<kBits>();
    const float thresholds = threshold_table<kBits>();
    EdenCodes codes;
#pragma unroll
    for (int k = 0; k < kWordCodes; ++k) {
      const float value = x[k * kWords];
      const std::uint32_t code = whole_code<kBits>(value, inverse, value * inverse, thresholds);
      codes.codes[k * kStep / 32] += code << (k * kStep % 32);
      product = __fmaf_rn(look_up(centroids, code), value, product);
    }
    // Without kWhole's bits.
#pragma unroll
    for (int i = 0; i < kStep / 2; ++i) {
      word.codes[i] |= codes.codes[i] - kWholeBits * (0xFFFFFFFFu / ((1u << kStep) - 1));
    }
  }
  return product;
}

// x += centroid * scale for each code.
template <int kBits, int kWords>
__device__ void add_word(const EdenCodes& word, float scale, float* x) {
#pragma unroll
  for (int k = 0; k < kWordCodes; ++k) {
    float level = kCentroid<kBits, 0>, signed_scale = scale;
    if constexpr (kBits == 4) {
      level = look_up(code_table<4>(), word.codes[k / 8] >> (4 * (k % 8)));
    } else if constexpr (kBits > 1) {
      // Two codes, or magnitudes, are few enough bits for one number.
      const std::uint32_t pair = word.codes[0] >> (k / 2 * 4);
      const float even = kBits == 2 ? code_table<2>() : magnitude_table<3>();
      const float odd = kBits == 2 ? code_table<2, 2>() : magnitude_table<3, 2>();
      level = look_up(k % 2 == 0 ? even : odd, pair);
    }
    if constexpr (kBits == 1 || kBits == 3) {
      signed_scale = (word.codes[kBits == 3] & 1u << k) != 0 ? -scale : scale;
    }
    x[k * kWords] = __fmaf_rn(level, signed_scale, x[k * kWords]);
  }
}

}  // namespace codecs::cuda
