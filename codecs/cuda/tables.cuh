// SPDX-License-Identifier: Apache-2.0
// The grids of codecs/element/tables.hpp on the GPU: values by code, and codes by binary search.
#pragma once

#include <cuda_runtime.h>

#include "codecs/element/tables.hpp"
#include "codecs/format.hpp"

namespace codecs::cuda {

// A plain array: std::array has no operator[] on the device.
template <int kValues>
struct DeviceTable {
  float values[kValues];
};
template <std::size_t kValues>
constexpr DeviceTable<static_cast<int>(kValues)> on_device(
    const std::array<float, kValues>& table) {
  DeviceTable<static_cast<int>(kValues)> copy{};
  for (std::size_t i = 0; i < kValues; ++i) copy.values[i] = table[i];
  return copy;
}

static __device__ const DeviceTable<16> kNf4ValuesOnDevice = on_device(kNf4Values);
static __device__ const DeviceTable<15> kNf4MidpointsOnDevice = on_device(kNf4Midpoints);
static __device__ const DeviceTable<256> kDynamic8ValuesOnDevice = on_device(kDynamic8Values);
static __device__ const DeviceTable<255> kDynamic8MidpointsOnDevice = on_device(kDynamic8Midpoints);

// Index of the first midpoint that is not below v.
template <Element kElement>
__device__ unsigned table_code(float v) {
  const float* const between =
      kElement == Element::nf4 ? kNf4MidpointsOnDevice.values : kDynamic8MidpointsOnDevice.values;
  unsigned code = 0;
#pragma unroll
  for (unsigned half = kElement == Element::nf4 ? 8 : 128; half > 0; half /= 2) {
    if (between[code + half - 1] < v) code += half;
  }
  return code;
}

// Of all codes in a word.
template <Element kElement>
__device__ void table_values(unsigned word, float* v) {
  constexpr int kBits = kElement == Element::nf4 ? 4 : 8;
  const float* const values =
      kElement == Element::nf4 ? kNf4ValuesOnDevice.values : kDynamic8ValuesOnDevice.values;
#pragma unroll
  for (int i = 0; i < 32 / kBits; ++i) v[i] = values[word >> (kBits * i) & ((1u << kBits) - 1)];
}

// 32 bits of the code of 0.
template <Element kElement>
inline constexpr unsigned kTableZeros =
    kElement == Element::nf4 ? 0x11111111u * kNf4Zero : 0x01010101u * kDynamic8Zero;

}  // namespace codecs::cuda
