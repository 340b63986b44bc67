// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/fit/least_squares.hpp"

namespace sim::study {
namespace {

using fit::Column;

constexpr double kDerivativeStep = 1e-3;

// A rest of each step has no base. Its prior is a judgement: a thousandth of the shortest step, and
// in one case of ten seven times as much.
constexpr double kRest = 1e-3, kRestSpread = 1.5;

double bounded(const JobConstant& constant, double value) {
  return std::clamp(value, constant.least, constant.most);
}

// The root of the pseudo-Huber loss of an error in deviations, with its sign: from `outlier` on, an
// error counts by its size.
double softened(double error, double outlier) {
  const double far = error / outlier;
  return std::copysign(outlier * std::sqrt(2 * (std::sqrt(1 + far * far) - 1)), error);
}
double softened_error(double error) { return softened(error, kOutlierDeviations); }

// A part that has failed is far from what parts of its kind do: priors have heavier tails than errors.
constexpr double kPriorOutlier = 1;

double surprise_of_prior(const DoubtfulConstant& one, double logarithm) {
  const double off = logarithm - std::log(one.center);
  const double side = (off > 0) == one.constant->more_is_slower ? one.slower : one.faster;
  return softened(off / side, kPriorOutlier);
}
double surprise_of_prior(const DoubtfulConstant& one) {
  return surprise_of_prior(one, std::log(one.value));
}

// Residuals in the constants' logarithms, less where they are, plus 1, as the solver's steps are
// relative: the times' errors, then the priors.
class Surprise {
 public:
  Surprise(const MeasuredTimes& times, double deviation, std::vector<DoubtfulConstant> free)
      : times_(times), deviation_(deviation), free_(std::move(free)) {}

  [[nodiscard]] std::vector<DoubtfulConstant> at(std::span<const double> x) const {
    std::vector<DoubtfulConstant> moved = free_;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      moved[i].value = bounded(*moved[i].constant, moved[i].value * std::exp(x[i] - 1));
    }
    return moved;
  }
  [[nodiscard]] Column errors(std::span<const double> predicted) const {
    Column errors(predicted.size());
    for (std::size_t i = 0; i < errors.size(); ++i) {
      errors[i] = std::log(predicted[i] / times_.seconds[i]) / (deviation_ * times_.scatter_of(i));
    }
    return errors;
  }
  [[nodiscard]] fit::Residuals residuals() const {
    return {times_.seconds.size() + free_.size(),
            [this](std::span<const double> x, std::span<double> result) {
              const Column all = errors(times_.predicted(values_of(at(x))));
              auto next = std::ranges::transform(all, result.begin(), softened_error).out;
              for (std::size_t i = 0; i < free_.size(); ++i) {
                *next++ = surprise_of_prior(free_[i], std::log(free_[i].value) + x[i] - 1);
              }
            }};
  }
  [[nodiscard]] std::vector<double> here() const { return std::vector<double>(free_.size(), 1); }

 private:
  const MeasuredTimes& times_;
  double deviation_;
  std::vector<DoubtfulConstant> free_;
};

Optimum optimum_at(const MeasuredTimes& times, double deviation,
                   const std::vector<DoubtfulConstant>& free,
                   const std::vector<double>& predicted) {
  Optimum optimum{.free = free, .predicted = predicted};
  optimum.errors = Surprise(times, deviation, free).errors(predicted);
  const Column all = residuals_of(optimum);
  optimum.surprise = fit::dot(all, all);
  return optimum;
}

// All constants at the base, and one of them at one of its other starts.
std::vector<std::vector<DoubtfulConstant>> one_apart(const std::vector<DoubtfulConstant>& free) {
  std::vector<std::vector<DoubtfulConstant>> starts{free};
  for (std::size_t i = 0; i < free.size(); ++i) {
    for (const double multiple : free[i].constant->starts) {
      starts.push_back(free);
      starts.back()[i].value = bounded(*free[i].constant, free[i].value * multiple);
    }
  }
  return starts;
}

// With the GPUs as much faster or slower as times on average ask for: a start of slow GPUs must not be
// taken for one of a slow network.
void level(const MeasuredTimes& times, std::vector<DoubtfulConstant>& free) {
  const auto gpus = std::ranges::find_if(free, [](const DoubtfulConstant& one) {
    return one.constant->key == "fitted.compute_efficiency";
  });
  if (gpus == free.end()) return;
  const std::vector<double> predicted = times.predicted(values_of(free));
  double off = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    off += std::log(predicted[i] / times.seconds[i]) / static_cast<double>(predicted.size());
  }
  gpus->value = bounded(*gpus->constant, gpus->value * std::exp(off));
}

// What is known of the deviation before counts as so many times (a scaled inverse chi-square prior;
// Gelman et al., Bayesian Data Analysis, 3rd edition, 3.2).
constexpr double kKnownAs = 3;

}  // namespace

MeasuredTimes remembering(MeasuredTimes times) {
  const auto known = std::make_shared<
      std::map<std::vector<std::pair<const JobConstant*, double>>, std::vector<double>>>();
  times.predicted = [known, predicted = std::move(times.predicted)](const ConstantValues& values) {
    std::vector<std::pair<const JobConstant*, double>> key;
    for (const auto& [constant, value] : values) key.emplace_back(constant, value);
    const auto [place, is_new] = known->try_emplace(std::move(key));
    if (is_new) place->second = predicted(values);
    return place->second;
  };
  return times;
}

bool DoubtfulConstant::is_slower() const {
  return value != center && (value > center) == constant->more_is_slower;
}
double DoubtfulConstant::prior_deviation() const {
  return (value > center) == constant->more_is_slower ? slower : faster;
}
double DoubtfulConstant::off() const {
  return std::abs(std::log(value / center)) / prior_deviation();
}

std::vector<DoubtfulConstant> free_constants(std::span<const JobConstant> constants, const Job& job,
                                             const MeasuredTimes& times) {
  std::vector<DoubtfulConstant> free;
  for (const JobConstant& constant : constants) {
    const std::optional<double> base = constant.get(job);
    if (is_rest(constant)) {
      const double tiny = kRest * std::ranges::min(times.seconds);
      free.push_back({&constant, 0, tiny, kRestSpread, kRestSpread, tiny});
    } else if (base && *base > 0) {
      const Spread prior = constant.prior(job);
      if (prior.of_logarithm <= 0) continue;
      free.push_back({&constant, *base, *base, prior.towards(Towards::slower),
                      prior.towards(Towards::faster), *base});
    }
  }
  return free;
}

ConstantValues values_of(std::span<const DoubtfulConstant> free) {
  ConstantValues values;
  for (const DoubtfulConstant& one : free) values.push_back({one.constant, one.value});
  return values;
}

double deviation_of(std::span<const fit::Column> slopes, std::size_t constant) {
  return 1 / fit::norm(fit::own_part(slopes, constant));
}

Optimum descend(const MeasuredTimes& times, double deviation, std::vector<DoubtfulConstant> free) {
  if (!free.empty()) {
    const Surprise from(times, deviation, free);
    free = from.at(fit::least_squares(from.residuals(), from.here(),
                                      {.differences = fit::Differences::forward,
                                       .step = -kDerivativeStep,  // away from the most
                                       .x_tolerance = 1e-4,
                                       .cost_tolerance = 1e-6,
                                       .first_step = 0.3,
                                       .most_evaluations = 100}));
  }
  return optimum_at(times, deviation, free, times.predicted(values_of(free)));
}

double surprise_of_times(const Optimum& optimum) {
  double sum = 0;
  for (const double error : optimum.errors) sum += std::pow(softened_error(error), 2);
  return sum;
}

fit::Column residuals_of(const Optimum& optimum) {
  Column all = optimum.errors;
  std::ranges::transform(all, all.begin(), softened_error);
  for (const DoubtfulConstant& one : optimum.free) all.push_back(surprise_of_prior(one));
  return all;
}

std::vector<fit::Column> slopes_at(const Optimum& optimum, const MeasuredTimes& times,
                                   double deviation) {
  const Surprise here(times, deviation, optimum.free);
  return jacobian(here.residuals(), here.here(), fit::Differences::central, kDerivativeStep);
}

std::vector<Start> starts_of(const MeasuredTimes& times,
                             const std::vector<DoubtfulConstant>& free) {
  std::vector<Start> starts{{free, times.predicted(values_of(free))}};
  for (std::vector<DoubtfulConstant>& one : one_apart(free)) {
    level(times, one);
    std::vector<double> predicted = times.predicted(values_of(one));
    starts.push_back({std::move(one), std::move(predicted)});
  }
  return starts;
}

Optimum most_likely(const MeasuredTimes& times, double deviation,
                    const std::vector<Start>& starts) {
  const auto other =
      std::ranges::min_element(starts.begin() + 1, starts.end(), {}, [&](const Start& start) {
        return optimum_at(times, deviation, start.free, start.predicted).surprise;
      });
  Optimum from_base = descend(times, deviation, starts.front().free);
  Optimum from_other = descend(times, deviation, other->free);
  return from_other.surprise < from_base.surprise ? std::move(from_other) : std::move(from_base);
}

double deviation_about(const Optimum& optimum, std::span<const fit::Column> slopes, double with) {
  // That of the times is told by their median error: up to half of them may be outliers. What they
  // tell about a constant, they do not tell of it.
  constexpr double kNormal50 = 0.6745;
  std::vector<double> errors;
  for (const double error : optimum.errors) errors.push_back(std::abs(error));
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  auto spare = static_cast<double>(errors.size());
  for (std::size_t i = 0; i < optimum.free.size(); ++i) {
    const double left = deviation_of(slopes, i) / optimum.free[i].prior_deviation();
    spare -= std::max(0.0, 1 - left * left);
  }
  spare = std::max(0.0, spare);
  const double scatter = *middle / kNormal50 * with;
  return std::sqrt((kKnownAs * kStepDeviation * kStepDeviation + spare * scatter * scatter) /
                   (kKnownAs + spare));
}

double surprise_of_deviation(double deviation, std::size_t count) {
  return 2 * (static_cast<double>(count) + kKnownAs) * std::log(deviation) +
         kKnownAs * std::pow(kStepDeviation / deviation, 2);
}

}  // namespace sim::study
