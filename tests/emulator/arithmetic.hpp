// SPDX-License-Identifier: Apache-2.0
// Arithmetic of CUDA that rounds to nearest, and min and max.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

namespace emulator {

// PTX's min and max: a NaN loses against a number, and -0 is below +0.
template <typename Float>
Float smaller(Float a, Float b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename Float>
Float larger(Float a, Float b) {
  return -smaller(-a, -b);
}

template <typename A, typename B>
using Common = decltype(true ? +A{} : +B{});

}  // namespace emulator

template <typename A, typename B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) inline emulator::Common<A, B> min(A a,
                                                                                              B b) {
  using Value = emulator::Common<A, B>;
  const auto x = static_cast<Value>(a), y = static_cast<Value>(b);
  if constexpr (std::is_floating_point_v<Value>) return emulator::smaller(x, y);
  return y < x ? y : x;
}
template <typename A, typename B>
requires(std::is_arithmetic_v<A>&& std::is_arithmetic_v<B>) inline emulator::Common<A, B> max(A a,
                                                                                              B b) {
  using Value = emulator::Common<A, B>;
  const auto x = static_cast<Value>(a), y = static_cast<Value>(b);
  if constexpr (std::is_floating_point_v<Value>) return emulator::larger(x, y);
  return x < y ? y : x;
}

// The C library's may take either zero.
#define fminf(a, b) emulator::smaller<float>(a, b)
#define fmaxf(a, b) emulator::larger<float>(a, b)

// NOLINTBEGIN(bugprone-reserved-identifier)
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __frcp_rn(float a) { return 1.0f / a; }
inline float __fsqrt_rn(float a) { return std::sqrt(a); }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double a) { return 1.0 / a; }
inline double __dsqrt_rn(double a) { return std::sqrt(a); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }

// NaN becomes 0, and so does -0.
inline float __saturatef(float a) { return a > 0 ? (a < 1 ? a : 1.0f) : 0.0f; }

inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(std::uint64_t{a} * b >> 32);
}
inline int __mulhi(int a, int b) { return static_cast<int>(std::int64_t{a} * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<unsigned long long>(static_cast<Wide>(a) * b >> 64);
}
inline long long __mul64hi(long long a, long long b) {
  __extension__ using Wide = __int128;
  return static_cast<long long>(static_cast<Wide>(a) * b >> 64);
}
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFFu) * (b & 0xFFFFFFu); }
inline int __mul24(int a, int b) {
  const auto low = [](int x) { return static_cast<int>(static_cast<unsigned>(x) << 8) >> 8; };
  return static_cast<int>(static_cast<unsigned>(std::int64_t{low(a)} * low(b)));
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a < b ? b - a : a - b); }
inline unsigned __sad(int a, int b, unsigned c) {
  const std::int64_t difference = std::int64_t{a} - b;
  return c + static_cast<unsigned>(difference < 0 ? -difference : difference);
}

// The sum of products of four bytes.
inline int __dp4a(int a, int b, int c) {
  auto sum = static_cast<unsigned>(c);
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<unsigned>(static_cast<std::int8_t>(a >> shift) *
                                 static_cast<std::int8_t>(b >> shift));
  }
  return static_cast<int>(sum);
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int shift = 0; shift < 32; shift += 8) c += (a >> shift & 0xFFu) * (b >> shift & 0xFFu);
  return c;
}
// NOLINTEND(bugprone-reserved-identifier)
