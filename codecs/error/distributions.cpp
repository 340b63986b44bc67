// SPDX-License-Identifier: Apache-2.0
#include "codecs/error/distributions.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>

namespace codecs {
namespace {

// The standard library's distributions differ between implementations; its engines do not.
class Source {
 public:
  explicit Source(std::uint64_t seed) : engine_(seed) {}
  // In (0, 1).
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  // Box and Muller, one of the two.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }
  double student_t(int degrees) {
    double squares = 0;
    for (int i = 0; i < degrees; ++i) squares += std::pow(normal(), 2);
    return normal() / std::sqrt(squares / degrees);
  }

 private:
  std::mt19937_64 engine_;
};

template <typename Draw>
void fill_with(std::uint64_t seed, std::span<float> values, Draw draw_one) {
  Source source(seed);
  for (float& value : values) value = static_cast<float>(draw_one(source));
}

void normal(std::uint64_t seed, std::span<float> values) {
  fill_with(seed, values, [](Source& source) { return source.normal(); });
}

void laplace(std::uint64_t seed, std::span<float> values) {
  fill_with(seed, values, [](Source& source) {
    const double magnitude = -std::log(source.uniform());
    return source.uniform() < 0.5 ? -magnitude : magnitude;
  });
}

void student_t5(std::uint64_t seed, std::span<float> values) {
  fill_with(seed, values, [](Source& source) { return source.student_t(5); });
}

void student_t3(std::uint64_t seed, std::span<float> values) {
  fill_with(seed, values, [](Source& source) { return source.student_t(3); });
}

void rowscale(std::uint64_t seed, std::span<float> values) {
  constexpr std::size_t kRow = 4096;
  Source source(seed);
  double scale = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i % kRow == 0) scale = std::exp(source.normal());
    values[i] = static_cast<float>(source.normal() * scale);
  }
}

void outlier(std::uint64_t seed, std::span<float> values) {
  fill_with(seed, values,
            [](Source& source) { return source.normal() * (source.uniform() < 0.001 ? 20 : 1); });
}

void uniform(std::uint64_t seed, std::span<float> values) {
  fill_with(seed, values, [](Source& source) { return 2 * source.uniform() - 1; });
}

void lognormal(std::uint64_t seed, std::span<float> values) {
  fill_with(seed, values, [](Source& source) {
    const double magnitude = std::exp(1.5 * source.normal());
    return source.uniform() < 0.5 ? -magnitude : magnitude;
  });
}

constexpr std::array kDistributions{
    Distribution{"normal", "standard normal", normal},
    Distribution{"laplace", "double exponential", laplace},
    Distribution{"student_t5", "Student's t, 5 degrees of freedom", student_t5},
    Distribution{"student_t3", "Student's t, 3 degrees of freedom", student_t3},
    Distribution{"rowscale", "normal, each row of 4096 times exp(normal)", rowscale},
    Distribution{"outlier", "normal, one value in 1000 times 20", outlier},
    Distribution{"uniform", "uniform in (-1, 1)", uniform},
    Distribution{"lognormal", "random sign times exp(1.5 normal)", lognormal},
};

}  // namespace

std::span<const Distribution> all_distributions() { return kDistributions; }

const Distribution& distribution_named(std::string_view name) {
  std::string known;
  for (const Distribution& distribution : kDistributions) {
    if (distribution.name == name) return distribution;
    known += known.empty() ? "" : ", ";
    known += distribution.name;
  }
  throw std::out_of_range("unknown distribution '" + std::string(name) + "'; known: " + known);
}

std::vector<float> draw(const Distribution& distribution, std::uint64_t seed,
                        std::size_t elements) {
  std::vector<float> values(elements);
  distribution.fill(seed, values);
  return values;
}

}  // namespace codecs
