// SPDX-License-Identifier: Apache-2.0
// How likely constants of a job are, given measured times and what was known before: the logarithms
// of the times are off by an error with heavier tails than a normal one, and each constant's logarithm
// from that of the base, by the spreads of the likely ranges, with heavier tails still.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/fit/basis.hpp"
#include "sim/study/fit/fitted_constants.hpp"

namespace sim::study {

// Times of steps or collectives, all above 0, and how they follow from constants.
struct MeasuredTimes {
  std::vector<double> seconds;
  std::vector<double> scatter = {};  // of each, over that of steps; empty: 1
  std::function<std::vector<double>(const ConstantValues&)> predicted;  // as many

  [[nodiscard]] double scatter_of(std::size_t time) const {
    return scatter.empty() ? 1 : scatter[time];
  }
};
// The same, which predicts once for the same values: fits come back to theirs.
[[nodiscard]] MeasuredTimes remembering(MeasuredTimes times);

struct DoubtfulConstant {
  const JobConstant* constant = nullptr;
  double base = 0;                // the job's, 0 for a rest
  double center = 0;              // the prior's, above 0
  double slower = 0, faster = 0;  // standard deviations of the prior's logarithm to either side
  double value = 0;               // where it is

  [[nodiscard]] bool is_slower() const;          // than the prior's center
  [[nodiscard]] double prior_deviation() const;  // on the side of the value
  [[nodiscard]] double off() const;              // from the center, in such deviations: at least 0
};

// The constants that the job has, at its values.
[[nodiscard]] std::vector<DoubtfulConstant> free_constants(std::span<const JobConstant> constants,
                                                           const Job& job,
                                                           const MeasuredTimes& times);

[[nodiscard]] ConstantValues values_of(std::span<const DoubtfulConstant> free);

// A most likely place.
struct Optimum {
  std::vector<DoubtfulConstant> free;
  std::vector<double> predicted;
  fit::Column errors;   // of the times' logarithms, over their deviation
  double surprise = 0;  // minus twice the logarithm of the likelihood and prior
};

// The nearest one that descent reaches from where the constants are. `deviation`: of the logarithm of
// a time.
[[nodiscard]] Optimum descend(const MeasuredTimes& times, double deviation,
                              std::vector<DoubtfulConstant> free);

// The times' part of an optimum's surprise.
[[nodiscard]] double surprise_of_times(const Optimum& optimum);
// The softened errors, then the priors' surprises.
[[nodiscard]] fit::Column residuals_of(const Optimum& optimum);
// Their slopes, by constant.
[[nodiscard]] std::vector<fit::Column> slopes_at(const Optimum& optimum, const MeasuredTimes& times,
                                                 double deviation);
// The posterior's standard deviation of a constant's logarithm, to first order.
[[nodiscard]] double deviation_of(std::span<const fit::Column> slopes, std::size_t constant);

// Where descent starts, and what is predicted there.
struct Start {
  std::vector<DoubtfulConstant> free;
  std::vector<double> predicted;
};
// At the base first; then with each constant at its other starts, and GPUs as fast as times on average ask for.
[[nodiscard]] std::vector<Start> starts_of(const MeasuredTimes& times,
                                           const std::vector<DoubtfulConstant>& free);

// The most likely of those that descent reaches from the base, and from the likeliest other start.
[[nodiscard]] Optimum most_likely(const MeasuredTimes& times, double deviation,
                                  const std::vector<Start>& starts);

// The deviation of times about an optimum that was found `with` another: what was known before where
// there are few times beside what they tell about constants. `slopes` are the optimum's.
[[nodiscard]] double deviation_about(const Optimum& optimum, std::span<const fit::Column> slopes,
                                     double with);

// Minus twice the logarithm of how likely a deviation of so many times is, beside an optimum's surprise.
[[nodiscard]] double surprise_of_deviation(double deviation, std::size_t count);

// What collectives scatter by about it: rows of `validate nccl` are 7 to 14 % off.
inline constexpr double kLogDeviation = 0.13;
// What steps scatter by about a fit, before any is seen.
inline constexpr double kStepDeviation = 0.05;
// An error of so many deviations counts by its size, not by its square.
inline constexpr double kOutlierDeviations = 3;

}  // namespace sim::study
