// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/compute_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/fit/basis.hpp"
#include "sim/fit/least_squares.hpp"
#include "sim/fit/left_out.hpp"

namespace sim::study {
namespace {

using fit::Column;

// A constant is determined if noise of 3 % in the times leaves it known to 20 %, as in sim/fit.
constexpr double kLeastEffect = 0.03 / 0.2;
// Far from where it fits, a constant may have less: what left-out times say then decides.
constexpr double kSomeEffect = 0.01, kLeastOwnShare = 0.1;
// Of left-out times' errors, what one more constant has to save of them; and errors so small that
// none is needed.
constexpr double kGain = 0.9, kNoError = 1e-4;
constexpr double kDerivativeStep = 1e-3;

struct FreeConstant {
  const JobConstant* constant = nullptr;
  double base = 0;
  double start = 0;  // above 0: the fit is in its logarithm
};

double bounded(const JobConstant& constant, double logarithm) {
  return std::min(std::exp(logarithm), constant.most);
}

// In the logarithms of the free constants.
class LogTimes {
 public:
  LogTimes(const MeasuredTimes& times, std::vector<FreeConstant> free)
      : times_(times), free_(std::move(free)) {}

  [[nodiscard]] ConstantValues values(std::span<const double> logarithms) const {
    ConstantValues values;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      values.push_back({free_[i].constant, bounded(*free_[i].constant, logarithms[i])});
    }
    return values;
  }
  [[nodiscard]] std::vector<double> start() const {
    std::vector<double> logarithms;
    for (const FreeConstant& one : free_) logarithms.push_back(std::log(one.start));
    return logarithms;
  }
  // Weighted errors of predicted times.
  [[nodiscard]] std::vector<double> errors(std::span<const double> predicted) const {
    std::vector<double> errors(predicted.size());
    for (std::size_t i = 0; i < errors.size(); ++i) {
      errors[i] = std::sqrt(times_.weights[i]) * std::log(predicted[i] / times_.seconds[i]);
    }
    return errors;
  }
  // The solver's steps are relative, so its coordinates are those of the constants, less where they
  // start, plus 1.
  [[nodiscard]] fit::Residuals around(std::vector<double> at) const {
    return {times_.seconds.size(),
            [this, at = std::move(at)](std::span<const double> x, std::span<double> result) {
              std::vector<double> logarithms = at;
              for (std::size_t i = 0; i < x.size(); ++i) logarithms[i] += x[i] - 1;
              std::ranges::copy(errors(times_.predicted(values(logarithms))), result.begin());
            }};
  }
  [[nodiscard]] std::vector<Column> slopes(const std::vector<double>& at) const {
    return jacobian(around(at), std::vector<double>(at.size(), 1), fit::Differences::central,
                    kDerivativeStep);
  }
  [[nodiscard]] std::vector<double> fitted() const {
    std::vector<double> at = start();
    const std::vector<double> x = fit::least_squares(around(at), std::vector<double>(at.size(), 1),
                                                     {.differences = fit::Differences::forward,
                                                      .step = kDerivativeStep,
                                                      .x_tolerance = 1e-6,
                                                      .cost_tolerance = 1e-10,
                                                      .first_step = 0.3,
                                                      .most_evaluations = 100});
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += x[i] - 1;
    return at;
  }

 private:
  const MeasuredTimes& times_;
  std::vector<FreeConstant> free_;
};

class ComputeFitter {
 public:
  ComputeFitter(const Job& job, const MeasuredTimes& times) : times_(times) {
    for (const JobConstant& constant : job_constants()) {
      const std::optional<double> base = constant.get(job);
      if (!base || (is_rest(constant) && !times.is_cross_validated)) continue;
      candidates_.push_back({&constant, *base, *base > 0 ? *base : start_of(constant)});
      if (times.is_cross_validated && constant.far > 1 && !has_effect(candidates_.back())) {
        candidates_.back().start *= constant.far;
      }
    }
  }

  ComputeFit run() {
    fit_.base_s = times_.predicted({});
    chosen_errors_ = LogTimes(times_, {}).errors(fit_.base_s);
    fit_.fit_s = fit_.base_s;
    bool adds = true;
    while (adds && !candidates_.empty() && chosen_.size() < most_constants()) {
      const bool is_first = chosen_.empty();
      adds = add_one();
      if (is_first && !chosen_.empty()) add_beside_first();
    }
    keep_others();
    conclude();
    return std::move(fit_);
  }

 private:
  // What is not there has no logarithm: the least rest, or half of a peak.
  [[nodiscard]] double start_of(const JobConstant& constant) const {
    constexpr double kTiny = 1e-3, kHalf = 0.5;
    return constant.is_seconds ? kTiny * std::ranges::min(times_.seconds) : kHalf;
  }
  [[nodiscard]] bool has_effect(const FreeConstant& one) const {
    const LogTimes log_times(times_, {one});
    return fit::norm(log_times.slopes(log_times.start()).front()) >= kSomeEffect;
  }
  // One row fits one constant; of more, some are left to tell its error.
  [[nodiscard]] std::size_t most_constants() const {
    const std::size_t count = times_.seconds.size();
    return times_.is_cross_validated ? std::max<std::size_t>(1, count / 2) : count;
  }

  [[nodiscard]] std::vector<FreeConstant> with(const FreeConstant& one) const {
    std::vector<FreeConstant> free = chosen_;
    free.push_back(one);
    return free;
  }

  // How much of the times' change with a constant those that were chosen cannot make.
  [[nodiscard]] static double own_effect(const std::vector<Column>& slopes) {
    return fit::norm(fit::own_part(slopes, slopes.size() - 1));
  }

  // The candidates' slopes beside those of the chosen, at the chosen's fit.
  [[nodiscard]] std::vector<Column> slopes_of_all() const {
    std::vector<FreeConstant> all = chosen_;
    all.insert(all.end(), candidates_.begin(), candidates_.end());
    const LogTimes log_times(times_, all);
    return log_times.slopes(log_times.start());
  }

  // The candidate whose addition, to first order, leaves the smallest errors.
  [[nodiscard]] std::optional<std::size_t> best_candidate() const {
    const std::vector<Column> all = slopes_of_all();
    std::optional<std::size_t> best;
    double least = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      std::vector<Column> slopes(all.begin(),
                                 all.begin() + static_cast<std::ptrdiff_t>(chosen_.size()));
      slopes.push_back(all[chosen_.size() + i]);
      if (!is_told(*candidates_[i].constant, slopes)) continue;
      if (!times_.is_cross_validated || chosen_.empty()) return i;  // the most useful one
      const double size = fit::size_of(fit::errors_without_rows(slopes, chosen_errors_));
      if (!best || size < least) {
        best = i;
        least = size;
      }
    }
    return best;
  }

  // Whether the times may tell the constant of the last column. A rest starts so small that it has
  // no effect yet.
  [[nodiscard]] bool is_told(const JobConstant& constant, const std::vector<Column>& slopes) const {
    if (is_rest(constant)) return true;
    const double own = own_effect(slopes);
    if (!times_.is_cross_validated) return own >= kLeastEffect;
    const double effect = fit::norm(slopes.back());
    return effect >= kSomeEffect && own >= kLeastOwnShare * effect;
  }

  // A fit of these constants, the last of which is new.
  struct Trial {
    std::vector<FreeConstant> free;  // at their fit
    std::vector<double> predicted;
    Column errors;
    std::vector<Column> slopes;
  };
  [[nodiscard]] Trial trial_of(std::vector<FreeConstant> free) const {
    const LogTimes log_times(times_, free);
    const std::vector<double> logarithms = log_times.fitted();
    Trial trial{.free = std::move(free),
                .predicted = times_.predicted(log_times.values(logarithms)),
                .errors = {},
                .slopes = log_times.slopes(logarithms)};
    trial.errors = log_times.errors(trial.predicted);
    for (std::size_t i = 0; i < trial.free.size(); ++i) {
      trial.free[i].start = bounded(*trial.free[i].constant, logarithms[i]);
    }
    return trial;
  }
  void take(Trial trial) {
    chosen_ = std::move(trial.free);
    chosen_errors_ = std::move(trial.errors);
    slopes_ = std::move(trial.slopes);
    fit_.fit_s = std::move(trial.predicted);
  }

  bool add_one() {
    const auto candidate = best_candidate();
    if (!candidate) return false;
    const FreeConstant one = candidates_[*candidate];
    candidates_.erase(candidates_.begin() + static_cast<std::ptrdiff_t>(*candidate));
    Trial trial = trial_of(with(one));
    if (is_better(trial.slopes, trial.errors)) {
      take(std::move(trial));
    } else {
      fit_.kept.push_back({one.constant, one.base,
                           is_told(*one.constant, trial.slopes) ? JobConstantKept::no_gain
                                                                : JobConstantKept::not_alone});
    }
    return true;
  }

  // A constant that has no effect at its base has none either at a fit that explained its effect by
  // another one. So both are tried from where they start.
  void add_beside_first() {
    const auto one = std::ranges::find_if(
        candidates_, [](const FreeConstant& candidate) { return candidate.constant->far > 1; });
    if (!times_.is_cross_validated || one == candidates_.end() || most_constants() < 2 ||
        !leaves_errors()) {
      return;
    }
    FreeConstant first = chosen_.front();
    if (first.base > 0) first.start = first.base;
    Trial trial = trial_of({first, *one});
    if (!is_told(*one->constant, trial.slopes) || !is_better(trial.slopes, trial.errors)) return;
    candidates_.erase(one);
    take(std::move(trial));
  }

  // In what they predict of left-out times, where there are enough of them.
  [[nodiscard]] bool is_better(const std::vector<Column>& slopes, const Column& errors) const {
    if (!times_.is_cross_validated) return true;
    if (chosen_.empty()) return fit::size_of(errors) <= fit::size_of(chosen_errors_);
    return leaves_errors() &&
           fit::size_of(fit::errors_without_rows(slopes, errors)) < kGain * error_of_left_out();
  }
  [[nodiscard]] double error_of_left_out() const {
    return fit::size_of(fit::errors_without_rows(slopes_, chosen_errors_));
  }
  [[nodiscard]] bool leaves_errors() const { return error_of_left_out() > kNoError; }

  void keep_others() {
    if (candidates_.empty()) return;
    const std::vector<Column> all = slopes_of_all();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      std::vector<Column> slopes(all.begin(),
                                 all.begin() + static_cast<std::ptrdiff_t>(chosen_.size()));
      slopes.push_back(all[chosen_.size() + i]);
      fit_.kept.push_back({candidates_[i].constant, candidates_[i].base, why_kept(i, slopes)});
    }
  }

  [[nodiscard]] JobConstantKept why_kept(std::size_t candidate,
                                         const std::vector<Column>& slopes) const {
    const double least = times_.is_cross_validated ? kSomeEffect : kLeastEffect;
    const bool has_effect =
        is_rest(*candidates_[candidate].constant) || fit::norm(slopes.back()) >= least;
    if (!has_effect) return JobConstantKept::unused;
    if (!is_told(*candidates_[candidate].constant, slopes)) return JobConstantKept::not_alone;
    return chosen_.size() >= most_constants() ? JobConstantKept::too_few : JobConstantKept::no_gain;
  }

  // By constant: where fits without one of the rows, or of the repetitions, end.
  [[nodiscard]] std::vector<std::vector<double>> deletions() const {
    if (times_.is_cross_validated) {
      const bool spare = chosen_errors_.size() > chosen_.size() + 1;
      return spare ? fit::steps_without_rows(slopes_, chosen_errors_)
                   : std::vector<std::vector<double>>{};
    }
    std::vector<std::vector<double>> steps;
    const auto count = static_cast<double>(times_.repeated.size());
    if (count < 2) return {};
    for (const std::vector<double>& one : times_.repeated) {
      Column errors = chosen_errors_;
      for (std::size_t i = 0; i < errors.size(); ++i) {
        const double others = (count * times_.seconds[i] - one[i]) / (count - 1);
        errors[i] -= std::sqrt(times_.weights[i]) * std::log(others / times_.seconds[i]);
      }
      steps.push_back(fit::step_of(slopes_, errors));
    }
    return steps;
  }

  void conclude() {
    constexpr double kTwoSided95 = 1.96;
    const auto steps = deletions();
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      FittedJobConstant one{chosen_[i].constant, chosen_[i].base, chosen_[i].start, {}};
      if (!steps.empty()) {
        std::vector<double> own;
        for (const std::vector<double>& step : steps) own.push_back(step[i]);
        const double half = kTwoSided95 * fit::jackknife_deviation(own);
        one.interval = {one.value * std::exp(-half), one.value * std::exp(half)};
      }
      fit_.fitted.push_back(one);
    }
    if (!times_.is_cross_validated || chosen_errors_.size() <= chosen_.size()) return;
    const Column without = fit::errors_without_rows(slopes_, chosen_errors_);
    for (std::size_t i = 0; i < without.size(); ++i) {
      fit_.without_s.push_back(times_.seconds[i] *
                               std::exp(without[i] / std::sqrt(times_.weights[i])));
    }
  }

  const MeasuredTimes& times_;
  std::vector<FreeConstant> candidates_, chosen_;  // the chosen start at their fit
  std::vector<Column> slopes_;                     // of the chosen
  Column chosen_errors_;
  ComputeFit fit_;
};

}  // namespace

Job with_constants(Job job, const ConstantValues& values) {
  for (const auto& [constant, value] : values) {
    if (!is_rest(*constant)) constant->set(job, value);
  }
  return job;
}

double rest_of(const ConstantValues& values) {
  for (const auto& [constant, value] : values) {
    if (is_rest(*constant)) return value;
  }
  return 0;
}

ConstantValues ComputeFit::values() const {
  ConstantValues values;
  for (const FittedJobConstant& one : fitted) values.push_back({one.constant, one.value});
  return values;
}

ComputeFit fit_constants(const Job& job, const MeasuredTimes& times) {
  require(!times.seconds.empty() && times.seconds.size() == times.weights.size(),
          "there are times to fit to, each with its weight");
  return ComputeFitter(job, times).run();
}

}  // namespace sim::study
