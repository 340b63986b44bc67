// SPDX-License-Identifier: Apache-2.0
#include "sim/times/measured_products.hpp"

#include <algorithm>
#include <cmath>

namespace sim {
namespace {

constexpr double kWidth = 0.3, kUsualWeight = 0.1;

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
  double sum = kUsualWeight * ratios->usual, weights = kUsualWeight;
  for (const ProductRatio& one : ratios->all) {
    const double distance = squared(std::log(m) - one.log_m) + squared(std::log(n) - one.log_n) +
                            squared(std::log(k) - one.log_k);
    const double weight = std::exp(-distance / (2 * kWidth * kWidth));
    sum += weight * one.log_ratio;
    weights += weight;
  }
  return std::exp(sum / weights);
}

}  // namespace sim
