// SPDX-License-Identifier: Apache-2.0
// Codes of the grids of codecs/element/tables.hpp. A guess comes first that is the code or one
// less, then one exact comparison with the midpoint that is left.
#pragma once

#include <bit>

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

// The 8-bit dynamic map. A cell of magnitudes is 2^17 floats and has one midpoint at most: the
// highest are 1/128 wide, and midpoints 0.9/64 apart. One addition of a cell's entry, in shared
// memory, turns the bits of a magnitude into its code, because what is above the midpoint carries
// into the highest byte. kLeastMagnitude is added before, so that there are few cells; it was
// searched for such that no midpoint becomes equal to the floats beside it.
inline constexpr int kCellBits = 17;
inline constexpr float kLeastMagnitude = 0x1.401p-28f;
inline constexpr std::uint32_t kFirstCell =
    std::bit_cast<std::uint32_t>(kLeastMagnitude) >> kCellBits;
inline constexpr std::uint32_t kLastCell = std::bit_cast<std::uint32_t>(1.0f) >> kCellBits;
// In whole vectors.
inline constexpr int kCells = static_cast<int>(kLastCell - kFirstCell + 1 + 3) / 4 * 4;

constexpr std::uint32_t cell_bits(float magnitude, int ulps) {
  const auto bits = std::bit_cast<std::uint32_t>(magnitude) + static_cast<std::uint32_t>(ulps);
  return std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) + kLeastMagnitude);
}

// The bits from which magnitudes are nearer to the value at `place` + 1, counted from 0, than to
// that at `place`; the midpoint itself, one less, is the lower one's if it is positive.
constexpr std::uint32_t cell_bits_above(std::size_t place) {
  return cell_bits(kDynamic8Midpoints[kDynamic8Zero + place], 1);
}

constexpr bool bits_tell_midpoints() {
  for (std::size_t place = 0; place < 128; ++place) {
    const float midpoint = kDynamic8Midpoints[kDynamic8Zero + place];
    const std::uint32_t above = cell_bits_above(place);
    if (cell_bits(midpoint, 0) != above - 1 || cell_bits(midpoint, -1) >= above - 1) return false;
    // Of negative values, but for the last: there is none at -1.
    if (place < 127 && kDynamic8Midpoints[kDynamic8Zero - 1 - place] != -midpoint) return false;
  }
  return true;
}
static_assert(bits_tell_midpoints());

// Entries of cells: the code of a positive value times 2^24, less the bits of the cell's start, or
// of what is above its midpoint where it has one. A cell whose end is just above a midpoint has it
// too.
struct Dynamic8Cells {
  bool at_most_one_each = true;
  DeviceTable<std::uint32_t, kCells> entries{};
};
constexpr Dynamic8Cells dynamic8_cells() {
  Dynamic8Cells cells;
  std::uint32_t place = 0;
  for (std::uint32_t cell = kFirstCell; cell <= kLastCell; ++cell) {
    const std::uint32_t start = cell << kCellBits, end = (cell + 1) << kCellBits;
    while (place < 128 && cell_bits_above(place) <= start) ++place;
    std::uint32_t code = kDynamic8Zero + place, bits = start;
    if (place < 128 && cell_bits_above(place) <= end) {
      ++code;
      bits = cell_bits_above(place);
      if (place < 127 && cell_bits_above(place + 1) <= end) cells.at_most_one_each = false;
    }
    cells.entries.entries[cell - kFirstCell] = (code << 24) - bits;
  }
  return cells;
}
inline constexpr float kDynamic8Lowest = kDynamic8Values[0];
inline constexpr Dynamic8Cells kDynamic8Cells = dynamic8_cells();
static_assert(kDynamic8Cells.at_most_one_each);
static __device__ const DeviceTable<std::uint32_t, kCells> kDynamic8CellsOnDevice =
    kDynamic8Cells.entries;

// The block's copy.
__device__ inline std::uint32_t* dynamic8_entries() {
  alignas(16) __shared__ std::uint32_t entries[kCells];
  return entries;
}

// What each thread of a block fetches of an element's entries while it waits for values, and stores
// to shared memory; a barrier must follow. Of other elements nothing.
template <Element kElement, int kThreads>
struct TableCopy {
  __device__ void fetch() {}
  __device__ void store() const {}
};
template <int kThreads>
struct TableCopy<Element::dynamic8, kThreads> {
  static constexpr int kVectors = (kCells / 4 + kThreads - 1) / kThreads;
  uint4 vectors[kVectors];

  __device__ void fetch() {
    const auto* const entries = reinterpret_cast<const uint4*>(kDynamic8CellsOnDevice.entries);
#pragma unroll
    for (int k = 0; k < kVectors; ++k) vectors[k] = entries[min(at(k), kCells / 4 - 1)];
  }
  __device__ void store() const {
    auto* const entries = reinterpret_cast<uint4*>(dynamic8_entries());
#pragma unroll
    for (int k = 0; k < kVectors; ++k) {
      if (at(k) < kCells / 4) entries[at(k)] = vectors[k];
    }
  }

 private:
  __device__ static int at(int k) { return static_cast<int>(threadIdx.x) + k * kThreads; }
};

// The code of v, a number, in the highest byte. After the block's copy is filled.
__device__ inline unsigned dynamic8_code(float v) {
  const float of_map = fmaxf(v, kDynamic8Lowest);  // which does not reach down to -1
  const std::uint32_t bits = __float_as_uint(fabsf(of_map) + kLeastMagnitude);
  const std::uint32_t code = dynamic8_entries()[(bits >> kCellBits) - kFirstCell] + bits;
  // 2 kDynamic8Zero - code, so that a midpoint's bits, which end in 2^24 - 1, have the code that is
  // further from 0.
  return v < 0 ? (std::uint32_t{2 * kDynamic8Zero} << 24) + 0xFFFFFEu - code : code;
}

}  // namespace codecs::cuda
