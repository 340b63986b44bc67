// SPDX-License-Identifier: Apache-2.0
// Mixing of bits: numbers that look random, the same on every machine.
#pragma once

#include <cstdint>

namespace sim {

// The finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t scramble(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

// Depends on both, and on their order.
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t bits, std::uint64_t more) {
  return scramble(bits * 0x9e3779b97f4a7c15 + scramble(more + 0x9e3779b97f4a7c15));
}

// Uniform in (0, 1], one after the other.
class Draws {
 public:
  explicit constexpr Draws(std::uint64_t seed) : seed_(seed) {}
  constexpr double next() {
    return static_cast<double>((mix(seed_, ++drawn_) >> 11) + 1) * 0x1p-53;
  }

 private:
  std::uint64_t seed_, drawn_ = 0;
};

}  // namespace sim
