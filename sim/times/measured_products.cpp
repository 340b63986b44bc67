// SPDX-License-Identifier: Apache-2.0
#include "sim/times/measured_products.hpp"

#include <algorithm>
#include <cmath>

namespace sim {
namespace {

constexpr double kWidth = 0.3, kUsualWeight = 0.1;
// Squared distance beyond which a shape weighs less than 1e-13, and its exponential is not worth its time.
constexpr double kFar = 60 * kWidth * kWidth;

double squared(double x) { return x * x; }

const ProductRatios* find(const MeasuredProducts& measured, MatrixPrecision precision,
                          Gradient gradient) {
  for (const Gradient one : {gradient, Gradient::none}) {
    const auto found = measured.find({precision, one});
    if (found != measured.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

ProductRatios product_ratios(std::vector<ProductRatio> all) {
  ProductRatios ratios{.all = std::move(all)};
  double seconds = 0;
  for (const ProductRatio& one : ratios.all) {
    ratios.usual += one.seconds * one.log_ratio;
    seconds += one.seconds;
  }
  ratios.usual /= seconds;
  for (const ProductRatio& one : ratios.all) {
    ratios.spread += one.seconds * squared(one.log_ratio - ratios.usual);
  }
  ratios.spread = std::sqrt(ratios.spread / seconds);
  return ratios;
}

double measured_factor(const MeasuredProducts& measured, MatrixPrecision precision,
                       Gradient gradient, double m, double n, double k) {
  const ProductRatios* const ratios = find(measured, precision, gradient);
  if (ratios == nullptr) return 1;
  const double log_m = std::log(m), log_n = std::log(n), log_k = std::log(k);
  double sum = kUsualWeight * ratios->usual, weights = kUsualWeight;
  for (const ProductRatio& one : ratios->all) {
    const double distance =
        squared(log_m - one.log_m) + squared(log_n - one.log_n) + squared(log_k - one.log_k);
    if (distance > kFar) continue;
    const double weight = std::exp(-distance / (2 * kWidth * kWidth));
    sum += weight * one.log_ratio;
    weights += weight;
  }
  return std::exp(sum / weights);
}

}  // namespace sim
