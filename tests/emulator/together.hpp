// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp and the threads of a block do together, as PTX defines it.
#pragma once

#include <bit>
#include <cstring>
#include <type_traits>
#include <utility>

#include "tests/emulator/block.hpp"

namespace emulator {

template <typename T>
std::uint64_t as_bits(T value) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  return bits;
}
template <typename T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

// Small integers become int, as by CUDA's overloads.
template <typename T>
auto promoted(T value) {
  if constexpr (std::is_arithmetic_v<T>) return +value;
  if constexpr (!std::is_arithmetic_v<T>) return value;
}
template <typename T>
using Promoted = decltype(promoted(std::declval<T>()));

// The lane whose value a lane gets that asks for `operand`.
int source_lane(Together what, int operand, int width);

std::uint64_t shuffle(Together what, unsigned lanes, std::uint64_t value, int source, Place where);

template <typename T>
Promoted<T> shuffle(Together what, unsigned lanes, T value, int source, Place where) {
  return from_bits<Promoted<T>>(shuffle(what, lanes, as_bits(promoted(value)), source, where));
}

// combine(combine(a, b), c) of the lanes' values in their order.
template <typename T, typename Combine>
T reduce(Together what, unsigned lanes, T value, Place where, Combine combine) {
  const std::uint64_t* const values = meet(what, lanes, as_bits(value), where);
  const int first = std::countr_zero(lanes);
  T sum = from_bits<T>(values[first]);
  for (int lane = first + 1; lane < kWarpLanes; ++lane) {
    if ((lanes >> lane & 1u) != 0) sum = combine(sum, from_bits<T>(values[lane]));
  }
  return sum;
}

// The lanes whose value is `value`.
unsigned equal_lanes(Together what, unsigned lanes, std::uint64_t value, Place where);

}  // namespace emulator

// NOLINTBEGIN(bugprone-reserved-identifier)
template <typename T>
emulator::Promoted<T> __shfl_sync(unsigned lanes, T value, int source, int width = 32,
                                  emulator::Place where = emulator::here()) {
  constexpr auto kWhat = emulator::Together::shfl;
  return shuffle(kWhat, lanes, value, source_lane(kWhat, source, width), where);
}
template <typename T>
emulator::Promoted<T> __shfl_up_sync(unsigned lanes, T value, unsigned by, int width = 32,
                                     emulator::Place where = emulator::here()) {
  constexpr auto kWhat = emulator::Together::shfl_up;
  return shuffle(kWhat, lanes, value, source_lane(kWhat, static_cast<int>(by), width), where);
}
template <typename T>
emulator::Promoted<T> __shfl_down_sync(unsigned lanes, T value, unsigned by, int width = 32,
                                       emulator::Place where = emulator::here()) {
  constexpr auto kWhat = emulator::Together::shfl_down;
  return shuffle(kWhat, lanes, value, source_lane(kWhat, static_cast<int>(by), width), where);
}
template <typename T>
emulator::Promoted<T> __shfl_xor_sync(unsigned lanes, T value, int with, int width = 32,
                                      emulator::Place where = emulator::here()) {
  constexpr auto kWhat = emulator::Together::shfl_xor;
  return shuffle(kWhat, lanes, value, source_lane(kWhat, with, width), where);
}

inline void __syncwarp(unsigned lanes = 0xFFFFFFFFu, emulator::Place where = emulator::here()) {
  meet(emulator::Together::syncwarp, lanes, 0, where);
}
inline unsigned __ballot_sync(unsigned lanes, int vote, emulator::Place where = emulator::here()) {
  return equal_lanes(emulator::Together::ballot, lanes, vote != 0 ? 1 : 0, where) ^
         (vote != 0 ? 0u : lanes);
}
inline int __any_sync(unsigned lanes, int vote, emulator::Place where = emulator::here()) {
  return reduce(emulator::Together::any, lanes, vote != 0 ? 1 : 0, where,
                [](int a, int b) { return a | b; });
}
inline int __all_sync(unsigned lanes, int vote, emulator::Place where = emulator::here()) {
  return reduce(emulator::Together::all, lanes, vote != 0 ? 1 : 0, where,
                [](int a, int b) { return a & b; });
}
template <typename T>
unsigned __match_any_sync(unsigned lanes, T value, emulator::Place where = emulator::here()) {
  return equal_lanes(emulator::Together::match_any, lanes, emulator::as_bits(value), where);
}
template <typename T>
unsigned __match_all_sync(unsigned lanes, T value, int* all,
                          emulator::Place where = emulator::here()) {
  const auto bits = emulator::as_bits(value);
  *all = equal_lanes(emulator::Together::match_all, lanes, bits, where) == lanes ? 1 : 0;
  return *all != 0 ? lanes : 0;
}

template <typename T>
emulator::Promoted<T> __reduce_add_sync(unsigned lanes, T value,
                                        emulator::Place where = emulator::here()) {
  static_assert(sizeof(T) == 4 && std::is_integral_v<T>);
  return static_cast<T>(reduce(emulator::Together::reduce_add, lanes, static_cast<unsigned>(value),
                               where, [](unsigned a, unsigned b) { return a + b; }));
}
template <typename T>
T __reduce_min_sync(unsigned lanes, T value, emulator::Place where = emulator::here()) {
  static_assert(sizeof(T) == 4 && std::is_integral_v<T>);
  return reduce(emulator::Together::reduce_min, lanes, value, where,
                [](T a, T b) { return b < a ? b : a; });
}
template <typename T>
T __reduce_max_sync(unsigned lanes, T value, emulator::Place where = emulator::here()) {
  static_assert(sizeof(T) == 4 && std::is_integral_v<T>);
  return reduce(emulator::Together::reduce_max, lanes, value, where,
                [](T a, T b) { return a < b ? b : a; });
}
inline unsigned __reduce_and_sync(unsigned lanes, unsigned value,
                                  emulator::Place where = emulator::here()) {
  return reduce(emulator::Together::reduce_and, lanes, value, where,
                [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned __reduce_or_sync(unsigned lanes, unsigned value,
                                 emulator::Place where = emulator::here()) {
  return reduce(emulator::Together::reduce_or, lanes, value, where,
                [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_xor_sync(unsigned lanes, unsigned value,
                                  emulator::Place where = emulator::here()) {
  return reduce(emulator::Together::reduce_xor, lanes, value, where,
                [](unsigned a, unsigned b) { return a ^ b; });
}

inline void __syncthreads(emulator::Place where = emulator::here()) {
  emulator::meet_block(emulator::Together::syncthreads, false, where);
}
inline int __syncthreads_count(int vote, emulator::Place where = emulator::here()) {
  return static_cast<int>(
      emulator::meet_block(emulator::Together::syncthreads_count, vote != 0, where).yes);
}
inline int __syncthreads_and(int vote, emulator::Place where = emulator::here()) {
  const auto votes = meet_block(emulator::Together::syncthreads_and, vote != 0, where);
  return votes.yes == votes.threads ? 1 : 0;
}
inline int __syncthreads_or(int vote, emulator::Place where = emulator::here()) {
  return meet_block(emulator::Together::syncthreads_or, vote != 0, where).yes > 0 ? 1 : 0;
}
// NOLINTEND(bugprone-reserved-identifier)
