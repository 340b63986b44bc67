// SPDX-License-Identifier: Apache-2.0
// Codes of the grids of codecs/element/tables.hpp.
#pragma once

#include "codecs/cuda/elements.cuh"

namespace codecs::cuda {

// NF4. Its midpoints follow the quantiles of the normal distribution, and a cubic polynomial comes
// close to them: it rises from one midpoint to the next by between 0 and 2, so that rounded it says
// how many midpoints are below a value, or one less.
inline constexpr float kNf4Linear = 11.224f, kNf4Cubic = -3.734f;

constexpr bool rounds_to_code_or_one_less() {
  for (std::size_t k = 0; k < kNf4Midpoints.size(); ++k) {
    const double v = kNf4Midpoints[k];
    const double guess = kNf4Zero + kNf4Linear * v + kNf4Cubic * v * v * v;
    // Of values above the midpoint at least k, of others at most k.
    const double excess = guess - static_cast<double>(k);
    if (excess < -0.5 + 1e-3 || excess > 0.5 - 1e-3) return false;  // floats are off by 1e-5
  }
  return kNf4Linear + 3 * kNf4Cubic > 0 && kNf4Linear + kNf4Cubic < 7.5;  // rises up to 1
}
static_assert(rounds_to_code_or_one_less());

// The last is above all values.
constexpr DeviceTable<float, 16> nf4_midpoints() {
  DeviceTable<float, 16> table{};
  for (std::size_t k = 0; k < kNf4Midpoints.size(); ++k) table.entries[k] = kNf4Midpoints[k];
  table.entries[15] = 2;
  return table;
}
static __device__ const DeviceTable<float, 16> kNf4MidpointsOnDevice = nf4_midpoints();

// kWholeBits plus the code of v. All lanes of a warp must call, those with a NaN for any code.
__device__ inline unsigned nf4_code(float v) {
  const float slope = __fmaf_rn(v * v, kNf4Cubic, kNf4Linear);
  const unsigned guess =
      __float_as_uint(__fmaf_rn(v, slope, kWhole + static_cast<float>(kNf4Zero)));
  // Above the midpoint the difference is negative, however small: denormals are kept.
  return guess + (__float_as_uint(entry_of_16(kNf4MidpointsOnDevice, guess) - v) >> 31);
}

static __device__ const DeviceTable<float, 255> kDynamic8MidpointsOnDevice =
    on_device(kDynamic8Midpoints);

// The 8-bit dynamic map: index of the first midpoint that is not below v, by binary search.
__device__ inline unsigned dynamic8_code(float v) {
  const float* const between = kDynamic8MidpointsOnDevice.entries;
  unsigned code = 0;
#pragma unroll
  for (unsigned half = 128; half > 0; half /= 2) {
    if (between[code + half - 1] < v) code += half;
  }
  return code;
}

}  // namespace codecs::cuda
