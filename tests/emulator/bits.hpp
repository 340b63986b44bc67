// SPDX-License-Identifier: Apache-2.0
// CUDA's intrinsics on bits.
#pragma once

#include <bit>
#include <cstdint>

#include "tests/emulator/block.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier)
inline int __float_as_int(float a) { return std::bit_cast<int>(a); }
inline unsigned __float_as_uint(float a) { return std::bit_cast<unsigned>(a); }
inline float __int_as_float(int a) { return std::bit_cast<float>(a); }
inline float __uint_as_float(unsigned a) { return std::bit_cast<float>(a); }
inline long long __double_as_longlong(double a) { return std::bit_cast<long long>(a); }
inline double __longlong_as_double(long long a) { return std::bit_cast<double>(a); }
inline int __double2hiint(double a) { return static_cast<int>(__double_as_longlong(a) >> 32); }
inline int __double2loint(double a) { return static_cast<int>(__double_as_longlong(a)); }
inline double __hiloint2double(int high, int low) {
  return std::bit_cast<double>(std::uint64_t{static_cast<unsigned>(high)} << 32 |
                               static_cast<unsigned>(low));
}

inline int __popc(unsigned a) { return std::popcount(a); }
inline int __popcll(unsigned long long a) { return std::popcount(a); }
inline int __clz(int a) { return std::countl_zero(static_cast<unsigned>(a)); }
inline int __clzll(long long a) { return std::countl_zero(static_cast<unsigned long long>(a)); }
// From 1; 0 where no bit is set.
inline int __ffs(int a) { return a == 0 ? 0 : std::countr_zero(static_cast<unsigned>(a)) + 1; }
inline int __ffsll(long long a) {
  return a == 0 ? 0 : std::countr_zero(static_cast<unsigned long long>(a)) + 1;
}

inline unsigned long long __brevll(unsigned long long a) {
  unsigned long long reversed = 0;
  for (int bit = 0; bit < 64; ++bit) reversed |= (a >> bit & 1u) << (63 - bit);
  return reversed;
}
inline unsigned __brev(unsigned a) { return static_cast<unsigned>(__brevll(a) >> 32); }

// Byte n of the result is that byte of b:a which the selector's nibble n names.
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  if ((selector & 0x8888u) != 0) {
    throw emulator::Misuse("__byte_perm: a selector above 7 copies the sign on some GPUs");
  }
  const std::uint64_t bytes = std::uint64_t{b} << 32 | a;
  unsigned result = 0;
  for (unsigned n = 0; n < 4; ++n) {
    const unsigned from = selector >> (4 * n) & 7u;
    result |= (static_cast<unsigned>(bytes >> (8 * from)) & 0xFFu) << (8 * n);
  }
  return result;
}

// The high word of high:low << shift and the low word of high:low >> shift. The shift wraps at 32,
// or with _c stops there.
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(((std::uint64_t{high} << 32 | low) << (shift % 32)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((std::uint64_t{high} << 32 | low) >> (shift % 32));
}
inline unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
inline unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
// NOLINTEND(bugprone-reserved-identifier)
