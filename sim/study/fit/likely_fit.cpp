// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/likely_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/fit/left_out.hpp"

namespace sim::study {
namespace {

using fit::Column;

// Of its prior's deviation, what a constant's may be after the steps were seen, or they tell nothing
// about it.
constexpr double kSeen = 0.9;

// Whether a time depends on the constant where it is, or at the last value at which a fit starts.
bool is_used(const DoubtfulConstant& one, const MeasuredTimes& times,
             const std::vector<double>& base_s) {
  constexpr double kNoEffect = 1e-6, kLittle = 1.1;
  if (is_rest(*one.constant)) return true;
  std::vector<double> multiples{one.constant->more_is_slower ? kLittle : 1 / kLittle};
  if (!one.constant->starts.empty()) multiples.push_back(one.constant->starts.back());
  return std::ranges::any_of(multiples, [&](double multiple) {
    const std::vector<double> moved = times.predicted({{one.constant, one.value * multiple}});
    return !std::ranges::equal(moved, base_s,
                               [](double a, double b) { return std::abs(a / b - 1) < kNoEffect; });
  });
}

// The most likely constants, with the deviation that the times then have about them.
struct Consistent {
  Optimum optimum;
  double deviation = 0;
  double surprise = 0;  // of the deviation too
};
Consistent consistent(const MeasuredTimes& times, const std::vector<Start>& starts,
                      double deviation) {
  constexpr int kRounds = 2;
  Optimum optimum = most_likely(times, deviation, starts);
  for (int round = 0; round < kRounds; ++round) {
    deviation = deviation_about(optimum, slopes_at(optimum, times, deviation), deviation);
    optimum = descend(times, deviation, optimum.free);
  }
  const double surprise = optimum.surprise + surprise_of_deviation(deviation, times.seconds.size());
  return {std::move(optimum), deviation, surprise};
}

// Times that scatter much leave constants where they were, which makes them scatter: there may be two
// consistent answers.
Consistent most_consistent(const MeasuredTimes& times, const std::vector<DoubtfulConstant>& used) {
  constexpr double kLittle = 0.3;  // of what is known
  const std::vector<Start> starts = starts_of(times, used);
  Consistent usual = consistent(times, starts, kStepDeviation);
  Consistent closer = consistent(times, starts, kLittle * kStepDeviation);
  return closer.surprise < usual.surprise ? std::move(closer) : std::move(usual);
}

// Those that the times tell something about; the others go to `kept`. The least seen goes first: what
// it could explain as well, those that are left are then seen by. What they have moved, they see.
std::vector<DoubtfulConstant> seen_in(const Optimum& optimum, std::vector<Column> slopes,
                                      std::vector<KeptJobConstant>& kept) {
  std::vector<DoubtfulConstant> seen = optimum.free;
  while (!seen.empty()) {
    std::size_t least = 0;
    double most_left = 0;  // of the prior's deviation
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i].off() > 1) continue;
      const double left = deviation_of(slopes, i) / seen[i].prior_deviation();
      if (left > most_left) {
        least = i;
        most_left = left;
      }
    }
    if (most_left < kSeen) break;
    const auto at = static_cast<std::ptrdiff_t>(least);
    kept.push_back({seen[least].constant, seen[least].base, JobConstantKept::not_seen});
    seen.erase(seen.begin() + at);
    slopes.erase(slopes.begin() + at);
  }
  return seen;
}

// By time, the error that a fit to the others would leave, in deviations; the priors are left in.
Column errors_of_left_out(const Optimum& optimum, const std::vector<Column>& slopes) {
  const Column residuals = residuals_of(optimum);
  Column without = fit::errors_without_rows(slopes, residuals);
  without.resize(optimum.errors.size());
  for (std::size_t i = 0; i < without.size(); ++i) {
    without[i] += optimum.errors[i] - residuals[i];  // not softened
  }
  return without;
}

}  // namespace

fit::Interval interval_of(const DoubtfulConstant& one, double deviation, double deviations) {
  const double half = deviations * deviation;
  return {std::max(one.constant->least, one.value * std::exp(-half)),
          std::min(one.constant->most, one.value * std::exp(half))};
}

LikelyFit fit_times(std::span<const JobConstant> constants, const Job& job,
                    const MeasuredTimes& measured) {
  require(!measured.seconds.empty(), "there is a time to fit to");
  const MeasuredTimes times = remembering(measured);
  LikelyFit fit;
  fit.base_s = times.predicted({});
  for (const DoubtfulConstant& one : free_constants(constants, job, times)) {
    if (is_used(one, times, fit.base_s)) {
      fit.used.push_back(one);
    } else {
      fit.kept.push_back({one.constant, one.base, JobConstantKept::unused});
    }
  }
  Consistent likeliest = most_consistent(times, fit.used);
  fit.deviation = likeliest.deviation;
  Optimum optimum = std::move(likeliest.optimum);
  std::vector<Column> slopes = slopes_at(optimum, times, fit.deviation);
  std::vector<DoubtfulConstant> seen = seen_in(optimum, slopes, fit.kept);
  if (seen.size() < fit.used.size()) {
    optimum = descend(times, fit.deviation, std::move(seen));
    slopes = slopes_at(optimum, times, fit.deviation);
  }
  constexpr double kTwoSided95 = 1.96;
  for (std::size_t i = 0; i < optimum.free.size(); ++i) {
    const DoubtfulConstant& one = optimum.free[i];
    fit.deviations.push_back(deviation_of(slopes, i));
    fit.fitted.push_back(
        {one.constant, one.base, one.value, interval_of(one, fit.deviations.back(), kTwoSided95)});
  }
  fit.fit_s = optimum.predicted;
  if (times.seconds.size() > 1) {
    const Column without = errors_of_left_out(optimum, slopes);
    for (std::size_t i = 0; i < without.size(); ++i) {
      const double off = without[i] * fit.deviation * times.scatter_of(i);
      fit.without_s.push_back(times.seconds[i] * std::exp(off));
      if (std::abs(without[i]) > kOutlierDeviations) fit.outliers.push_back(i);
    }
  }
  fit.optimum = std::move(optimum);
  return fit;
}

}  // namespace sim::study
