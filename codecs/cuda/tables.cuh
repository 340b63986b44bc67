// SPDX-License-Identifier: Apache-2.0
// Values of the grids of codecs/element/tables.hpp by code; table_codes.cuh is the way back.
#pragma once

#include <cuda_runtime.h>

#include "codecs/cuda/lane.cuh"
#include "codecs/element/tables.hpp"
#include "codecs/format.hpp"

namespace codecs::cuda {

// A plain array: std::array has no operator[] on the device.
template <typename Entry, int kEntries>
struct alignas(16) DeviceTable {
  Entry entries[kEntries];
};
template <typename Entry, std::size_t kEntries>
constexpr DeviceTable<Entry, static_cast<int>(kEntries)> on_device(
    const std::array<Entry, kEntries>& table) {
  DeviceTable<Entry, static_cast<int>(kEntries)> copy{};
  for (std::size_t i = 0; i < kEntries; ++i) copy.entries[i] = table[i];
  return copy;
}

static __device__ const DeviceTable<float, 16> kNf4ValuesOnDevice = on_device(kNf4Values);
static __device__ const DeviceTable<float, 256> kDynamic8ValuesOnDevice =
    on_device(kDynamic8Values);

// Each lane keeps one entry of a table of 16, and the others ask for it. A shuffle takes a cycle,
// where a lookup in memory takes more than two; of an index, it heeds the lowest 4 bits alone. All
// lanes of a warp must call.
__device__ inline float entry_of_16(const DeviceTable<float, 16>& table, unsigned index) {
  return __shfl_sync(kAllLanes, table.entries[threadIdx.x % 16], static_cast<int>(index), 16);
}

// Whether all lanes of a warp must encode and decode together.
template <Element kElement>
inline constexpr bool kAsksLanes = kElement == Element::nf4;

// Of all codes in a word.
template <Element kElement>
__device__ void table_values(unsigned word, float* v) {
  if constexpr (kElement == Element::nf4) {
#pragma unroll
    for (int i = 0; i < 8; ++i) v[i] = entry_of_16(kNf4ValuesOnDevice, word >> (4 * i));
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      v[i] =
          kDynamic8ValuesOnDevice.entries[__byte_perm(word, 0, 0x4440u | static_cast<unsigned>(i))];
    }
  }
}

// 32 bits of the code of 0.
template <Element kElement>
inline constexpr unsigned kTableZeros =
    kElement == Element::nf4 ? 0x11111111u * kNf4Zero : 0x01010101u * kDynamic8Zero;

}  // namespace codecs::cuda
