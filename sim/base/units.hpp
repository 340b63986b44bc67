// SPDX-License-Identifier: Apache-2.0
// Physical quantities as types. A bare number cannot become a time, a size or a rate, so a
// forgotten unit, or bits taken for bytes, does not compile. Read a value by dividing by a unit:
// fmt::print("{:.1f} us", t / 1_us).
#pragma once

#include <compare>
#include <cstdint>

namespace sim {

template <class Dimension>
class Quantity {
 public:
  constexpr Quantity() = default;
  // `base` is in the dimension's base unit, named beside each alias below.
  [[nodiscard]] static constexpr Quantity from_base(double base) { return Quantity(base); }
  [[nodiscard]] constexpr double base() const { return base_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return Quantity(a.base_ + b.base_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return Quantity(a.base_ - b.base_);
  }
  friend constexpr Quantity operator*(Quantity a, double x) { return Quantity(a.base_ * x); }
  friend constexpr Quantity operator*(double x, Quantity a) { return Quantity(a.base_ * x); }
  friend constexpr Quantity operator/(Quantity a, double x) { return Quantity(a.base_ / x); }
  friend constexpr double operator/(Quantity a, Quantity b) { return a.base_ / b.base_; }
  constexpr Quantity& operator+=(Quantity b) { return *this = *this + b; }

 private:
  constexpr explicit Quantity(double base) : base_(base) {}
  double base_ = 0;
};

using Seconds = Quantity<struct SecondsDimension>;      // base unit: second
using Bandwidth = Quantity<struct BandwidthDimension>;  // base unit: byte per second, never bits
using FlopRate = Quantity<struct FlopRateDimension>;    // base unit: floating-point operation per s
using Flop = Quantity<struct FlopDimension>;            // base unit: floating-point operation
using Watts = Quantity<struct WattsDimension>;          // base unit: watt
using DollarRate = Quantity<struct DollarRateDimension>;    // base unit: US dollar per second
using BytePrice = Quantity<struct BytePriceDimension>;      // base unit: US dollar per byte
using Dollars = Quantity<struct DollarsDimension>;          // base unit: US dollar
using Joules = Quantity<struct JoulesDimension>;            // base unit: joule
using EnergyPrice = Quantity<struct EnergyPriceDimension>;  // base unit: US dollar per joule
// For having a rate over time. Base unit: US dollar per second for each byte per second.
using BandwidthPrice = Quantity<struct BandwidthPriceDimension>;

// A whole number of bytes. There is no division by a number: code that splits a buffer states its
// rounding.
struct Bytes {
  std::int64_t count = 0;
  constexpr auto operator<=>(const Bytes&) const = default;
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return {a.count + b.count}; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return {a.count - b.count}; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return {a.count * n}; }
  friend constexpr Bytes operator*(std::int64_t n, Bytes a) { return a * n; }
  constexpr Bytes& operator+=(Bytes b) { return *this = *this + b; }
  friend constexpr double operator/(Bytes a, Bytes b) {
    return static_cast<double>(a.count) / static_cast<double>(b.count);
  }
};

constexpr Seconds operator/(Bytes size, Bandwidth rate) {
  return Seconds::from_base(static_cast<double>(size.count) / rate.base());
}
constexpr Seconds operator/(Flop work, FlopRate rate) {
  return Seconds::from_base(work.base() / rate.base());
}
constexpr Dollars operator*(DollarRate price, Seconds time) {
  return Dollars::from_base(price.base() * time.base());
}
constexpr Joules operator*(Watts power, Seconds time) {
  return Joules::from_base(power.base() * time.base());
}
constexpr Dollars operator*(EnergyPrice price, Joules energy) {
  return Dollars::from_base(price.base() * energy.base());
}
constexpr DollarRate operator*(BandwidthPrice price, Bandwidth rate) {
  return DollarRate::from_base(price.base() * rate.base());
}

inline namespace literals {
constexpr Seconds operator""_s(long double x) { return Seconds::from_base(double(x)); }
constexpr Seconds operator""_s(unsigned long long x) { return Seconds::from_base(double(x)); }
constexpr Seconds operator""_ms(long double x) { return Seconds::from_base(double(x) / 1e3); }
constexpr Seconds operator""_ms(unsigned long long x) {
  return Seconds::from_base(double(x) / 1e3);
}
constexpr Seconds operator""_us(long double x) { return Seconds::from_base(double(x) / 1e6); }
constexpr Seconds operator""_us(unsigned long long x) {
  return Seconds::from_base(double(x) / 1e6);
}
constexpr Bandwidth operator""_GBps(long double x) { return Bandwidth::from_base(double(x) * 1e9); }
constexpr Bandwidth operator""_GBps(unsigned long long x) {
  return Bandwidth::from_base(double(x) * 1e9);
}
constexpr Bandwidth operator""_Gbps(long double x) {
  return Bandwidth::from_base(double(x) * 1e9 / 8);
}
constexpr Bandwidth operator""_Gbps(unsigned long long x) {
  return Bandwidth::from_base(double(x) * 1e9 / 8);
}
constexpr FlopRate operator""_TFLOPs(unsigned long long x) {
  return FlopRate::from_base(double(x) * 1e12);
}
constexpr Bytes operator""_B(unsigned long long x) { return {static_cast<std::int64_t>(x)}; }
constexpr Bytes operator""_KiB(unsigned long long x) {
  return {static_cast<std::int64_t>(x) << 10};
}
constexpr Bytes operator""_MiB(unsigned long long x) {
  return {static_cast<std::int64_t>(x) << 20};
}
constexpr Bytes operator""_GiB(unsigned long long x) {
  return {static_cast<std::int64_t>(x) << 30};
}
}  // namespace literals

inline constexpr double kHour_s = 3600, kDay_s = 24 * kHour_s;

}  // namespace sim
