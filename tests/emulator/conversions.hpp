// SPDX-License-Identifier: Apache-2.0
// CUDA's conversions between floats and integers: they saturate.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace emulator {

// A NaN becomes 0, or 2^63 where one of the types has 64 bits.
template <typename Integer, typename Float>
Integer saturated(Float rounded) {
  using Limits = std::numeric_limits<Integer>;
  if (std::isnan(rounded)) {
    if constexpr (sizeof(Integer) == 8) return static_cast<Integer>(std::uint64_t{1} << 63);
    if constexpr (sizeof(Float) == 8) return static_cast<Integer>(std::uint32_t{1} << 31);
    return 0;
  }
  // The first power of two that the type does not hold is exact in both.
  const Float end = std::ldexp(Float{1}, Limits::digits);
  if (rounded >= end) return Limits::max();
  if (rounded <= (Limits::is_signed ? -end : Float{0})) return Limits::min();
  return static_cast<Integer>(rounded);
}

// In the default mode: nearest even.
template <typename Integer, typename Float>
Integer nearest(Float a) {
  return saturated<Integer>(std::nearbyint(a));
}
template <typename Integer, typename Float>
Integer towards_zero(Float a) {
  return saturated<Integer>(std::trunc(a));
}
template <typename Integer, typename Float>
Integer upwards(Float a) {
  return saturated<Integer>(std::ceil(a));
}
template <typename Integer, typename Float>
Integer downwards(Float a) {
  return saturated<Integer>(std::floor(a));
}

}  // namespace emulator

// NOLINTBEGIN(bugprone-reserved-identifier)
inline int __float2int_rn(float a) { return emulator::nearest<int>(a); }
inline int __float2int_rz(float a) { return emulator::towards_zero<int>(a); }
inline int __float2int_ru(float a) { return emulator::upwards<int>(a); }
inline int __float2int_rd(float a) { return emulator::downwards<int>(a); }
inline unsigned __float2uint_rn(float a) { return emulator::nearest<unsigned>(a); }
inline unsigned __float2uint_rz(float a) { return emulator::towards_zero<unsigned>(a); }
inline unsigned __float2uint_ru(float a) { return emulator::upwards<unsigned>(a); }
inline unsigned __float2uint_rd(float a) { return emulator::downwards<unsigned>(a); }
inline long long __float2ll_rn(float a) { return emulator::nearest<long long>(a); }
inline long long __float2ll_rz(float a) { return emulator::towards_zero<long long>(a); }
inline long long __float2ll_ru(float a) { return emulator::upwards<long long>(a); }
inline long long __float2ll_rd(float a) { return emulator::downwards<long long>(a); }
inline unsigned long long __float2ull_rn(float a) {
  return emulator::nearest<unsigned long long>(a);
}
inline unsigned long long __float2ull_rz(float a) {
  return emulator::towards_zero<unsigned long long>(a);
}
inline int __double2int_rn(double a) { return emulator::nearest<int>(a); }
inline int __double2int_rz(double a) { return emulator::towards_zero<int>(a); }
inline int __double2int_ru(double a) { return emulator::upwards<int>(a); }
inline int __double2int_rd(double a) { return emulator::downwards<int>(a); }
inline unsigned __double2uint_rn(double a) { return emulator::nearest<unsigned>(a); }
inline unsigned __double2uint_rz(double a) { return emulator::towards_zero<unsigned>(a); }
inline long long __double2ll_rn(double a) { return emulator::nearest<long long>(a); }
inline long long __double2ll_rz(double a) { return emulator::towards_zero<long long>(a); }
inline unsigned long long __double2ull_rn(double a) {
  return emulator::nearest<unsigned long long>(a);
}
inline unsigned long long __double2ull_rz(double a) {
  return emulator::towards_zero<unsigned long long>(a);
}

inline float __int2float_rn(int a) { return static_cast<float>(a); }
inline float __uint2float_rn(unsigned a) { return static_cast<float>(a); }
inline float __ll2float_rn(long long a) { return static_cast<float>(a); }
inline float __ull2float_rn(unsigned long long a) { return static_cast<float>(a); }
inline double __int2double_rn(int a) { return a; }
inline double __uint2double_rn(unsigned a) { return a; }
inline double __ll2double_rn(long long a) { return static_cast<double>(a); }
inline double __ull2double_rn(unsigned long long a) { return static_cast<double>(a); }
inline float __double2float_rn(double a) { return static_cast<float>(a); }
// NOLINTEND(bugprone-reserved-identifier)
