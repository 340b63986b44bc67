// SPDX-License-Identifier: Apache-2.0
#include "sim/times/measured_products.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

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

bool same_size(const ProductRatio& a, const ProductRatio& b) {
  return a.log_m == b.log_m && a.log_n == b.log_n && a.log_k == b.log_k;
}

bool smaller(const ProductRatio& a, const ProductRatio& b) {
  return std::tie(a.log_m, a.log_n, a.log_k) < std::tie(b.log_m, b.log_n, b.log_k);
}

ProductRatio mean_of(std::span<const ProductRatio> of_one_size) {
  ProductRatio mean = of_one_size.front();
  mean.log_ratio = mean.seconds = 0;
  for (const ProductRatio& one : of_one_size) {
    mean.log_ratio += one.log_ratio / static_cast<double>(of_one_size.size());
    mean.seconds += one.seconds / static_cast<double>(of_one_size.size());
  }
  return mean;
}

// Of sizes in order, the means of each; sets their scatter.
std::vector<ProductRatio> means_of(std::span<const ProductRatio> sorted, double& scatter) {
  std::vector<ProductRatio> means;
  double off = 0, seconds = 0;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::find_if(begin, sorted.end(),
                                  [&](const ProductRatio& one) { return !same_size(one, *begin); });
    means.push_back(mean_of({begin, end}));
    for (; begin != end; ++begin) {
      off += begin->seconds * squared(begin->log_ratio - means.back().log_ratio);
      seconds += begin->seconds;
    }
  }
  scatter = std::sqrt(off / seconds);
  return means;
}

}  // namespace

ProductRatios product_ratios(std::vector<ProductRatio> all) {
  std::ranges::stable_sort(all, smaller);
  ProductRatios ratios;
  ratios.all = means_of(all, ratios.scatter);
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
