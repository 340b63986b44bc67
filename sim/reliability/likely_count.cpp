// SPDX-License-Identifier: Apache-2.0
// Quantiles of counts whose rate is not known exactly, and of what follows from them.
#include <algorithm>
#include <cmath>

#include "sim/base/likely.hpp"
#include "sim/reliability/renewal.hpp"

namespace sim {
namespace {

// P(N <= count) of a Poisson law: the sum, and for large counts Wilson and Hilferty's cube root of
// chi-squared (1931), good to 1e-4 there.
double poisson_share(double count, double mean) {
  constexpr double kSummed = 200;
  if (count < 0) return 0;
  if (mean <= 0) return 1;
  if (count > kSummed) {
    const double n = count + 1;
    return 1 - normal_share_below((std::cbrt(mean / n) - 1 + 1 / (9 * n)) * 3 * std::sqrt(n));
  }
  double term = std::exp(-mean), sum = term;
  for (double k = 1; k <= count; ++k) sum += term *= mean / k;
  return sum;
}

// The same with a log-normal mean, by the trapezoidal rule over its logarithm.
double mixed_share(double count, double mean, double spread) {
  if (spread <= 0) return poisson_share(count, mean);
  double share = 0, weights = 0;
  constexpr double kMost = 5, kStep = 1.0 / 64;
  for (double z = -kMost; z <= kMost; z += kStep) {
    const double weight = std::exp(-z * z / 2);
    share += weight * poisson_share(count, mean * std::exp(spread * z));
    weights += weight;
  }
  return share / weights;
}

// The least count below or at which this share of the cases is. Beyond 2^53, where not every count is
// a double, the nearest one that is; infinite if the mean is.
double quantile(double share, double mean, double spread) {
  double low = -1, high = 1;
  while (std::isfinite(high) && mixed_share(high, mean, spread) < share) high *= 2;
  const auto middle = [&] { return std::floor(low / 2 + high / 2); };
  for (double at = middle(); at > low && at < high; at = middle()) {
    (mixed_share(at, mean, spread) < share ? low : high) = at;
  }
  return high;
}

}  // namespace

CountRange likely_count(double mean, double spread) {
  return {quantile(0.1, mean, spread), quantile(0.9, mean, spread)};
}

LikelyShare likely_goodput(const Renewal& job, double interval_s, double spread, double span_s) {
  const double mean = interruption_rate(job) * span_s;
  const double goodput = time_shares(job, interval_s).goodput;
  if (mean <= 0) return {goodput, goodput};
  const auto with = [&](double count) {
    Renewal moved = job;
    for (double* rate : {&moved.failure_rate, &moved.hardware_rate, &moved.domain_rate}) {
      *rate *= count / mean;
    }
    return time_shares(moved, interval_s).goodput;
  };
  const CountRange range = likely_count(mean, spread);
  // Of few failures, both ends may be below the mean.
  return {std::min(with(range.high), goodput), std::max(with(range.low), goodput)};
}

}  // namespace sim
