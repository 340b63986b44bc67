// SPDX-License-Identifier: Apache-2.0
#include "sim/times/throttling.hpp"

#include <algorithm>
#include <cmath>

namespace sim {
namespace {

// The share of the data sheet's power that a limit leaves.
double share_left(const PublishedPower& power, const Gpu& gpu) {
  return std::min(1.0, gpu.power / power.limit);
}

// Joules of all but products.
double others_j(const PublishedPower& power, const StepActivity& activity) {
  return power.waiting.base() * (activity.step - activity.products) +
         (power.copies.base() - power.waiting.base()) * activity.copies;
}

}  // namespace

double fastest_rate(const PublishedPower& power, const Gpu& gpu) {
  return 1 / std::sqrt(share_left(power, gpu));
}

Watts mean_power(const PublishedPower& power, const Gpu& gpu, const StepActivity& activity) {
  const double relative = activity.rate / fastest_rate(power, gpu);
  const double products_j = power.products.base() * relative * relative * activity.products;
  return Watts::from_base((products_j + others_j(power, activity)) / activity.step);
}

double sustained_rate(const PublishedPower& power, const Gpu& gpu, const StepActivity& activity) {
  const double fastest = fastest_rate(power, gpu);
  if (activity.products <= 0) return fastest;
  const double at_tables_s = activity.products * activity.rate;
  const double others_s = activity.step - activity.products;
  // The positive root of a r^2 - 2 b r - c = 0.
  const double a = power.products.base() * share_left(power, gpu) * at_tables_s;
  const double b = (gpu.power.base() * others_s - others_j(power, activity)) / 2;
  const double c = gpu.power.base() * at_tables_s;
  return std::min(fastest, (b + std::sqrt(b * b + a * c)) / a);
}

}  // namespace sim
