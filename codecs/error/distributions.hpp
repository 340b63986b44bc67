// SPDX-License-Identifier: Apache-2.0
// Synthetic tensors with the shapes of gradients and weights, from light to heavy tails.
// Reproducible: the same seed gives the same values on every machine, up to libm's last digit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace codecs {

struct Distribution {
  std::string_view name;  // "student_t3"
  std::string_view summary;
  void (*fill)(std::uint64_t seed, std::span<float> values) = nullptr;
};

[[nodiscard]] std::span<const Distribution> all_distributions();
// Throws std::out_of_range with a text that lists the known distributions.
[[nodiscard]] const Distribution& distribution_named(std::string_view name);
// The seed of the `index`-th independent stream of a seed.
[[nodiscard]] constexpr std::uint64_t stream(std::uint64_t seed, std::uint64_t index) {
  return seed * 1'000'003 + index;
}

[[nodiscard]] std::vector<float> draw(const Distribution& distribution, std::uint64_t seed,
                                      std::size_t elements);

}  // namespace codecs
