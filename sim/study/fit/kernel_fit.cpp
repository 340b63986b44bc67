// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/kernel_fit.hpp"

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
constexpr double kKernelStep = 1e-3;

struct KernelConstant {
  const JobConstant* constant = nullptr;
  double base = 0;
  double start = 0;  // above 0: the fit is in its logarithm
};

double at_most(const JobConstant& constant, double logarithm) {
  return std::min(std::exp(logarithm), constant.most);
}

// In the logarithms of the free constants.
class LogTimes {
 public:
  LogTimes(const KernelTimes& times, std::vector<KernelConstant> free)
      : times_(times), free_(std::move(free)) {}

  [[nodiscard]] ConstantValues values(std::span<const double> logarithms) const {
    ConstantValues values;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      values.push_back({free_[i].constant, at_most(*free_[i].constant, logarithms[i])});
    }
    return values;
  }
  [[nodiscard]] std::vector<double> start() const {
    std::vector<double> logarithms;
    for (const KernelConstant& one : free_) logarithms.push_back(std::log(one.start));
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
                    kKernelStep);
  }
  [[nodiscard]] std::vector<double> fitted() const {
    std::vector<double> at = start();
    const std::vector<double> x = fit::least_squares(around(at), std::vector<double>(at.size(), 1),
                                                     {.differences = fit::Differences::forward,
                                                      .step = kKernelStep,
                                                      .x_tolerance = 1e-6,
                                                      .cost_tolerance = 1e-10,
                                                      .first_step = 0.3,
                                                      .most_evaluations = 100});
    for (std::size_t i = 0; i < at.size(); ++i) at[i] += x[i] - 1;
    return at;
  }

 private:
  const KernelTimes& times_;
  std::vector<KernelConstant> free_;
};

class KernelFitter {
 public:
  KernelFitter(const Job& job, const KernelTimes& times) : times_(times) {
    constexpr double kHalf = 0.5;  // of a peak: what is not there has no logarithm
    for (const JobConstant& constant : job_constants()) {
      const std::optional<double> base = constant.get(job);
      if (!base || is_rest(constant)) continue;
      candidates_.push_back({&constant, *base, *base > 0 ? *base : kHalf});
    }
  }

  ComputeFit run() {
    fit_.base_s = times_.predicted({});
    errors_ = LogTimes(times_, {}).errors(fit_.base_s);
    fit_.fit_s = fit_.base_s;
    while (chosen_.size() < times_.seconds.size() && add_one()) {
    }
    keep_others();
    conclude();
    return std::move(fit_);
  }

 private:
  // The slopes of the chosen constants, then of the candidates, at the fit.
  [[nodiscard]] std::vector<Column> slopes_of_all() const {
    std::vector<KernelConstant> all = chosen_;
    all.insert(all.end(), candidates_.begin(), candidates_.end());
    const LogTimes log_times(times_, all);
    return log_times.slopes(log_times.start());
  }

  // How much of the times' change with a candidate the chosen constants cannot make.
  [[nodiscard]] double own_effect(const std::vector<Column>& all, std::size_t candidate) const {
    const auto chosen = static_cast<std::ptrdiff_t>(chosen_.size());
    std::vector<Column> slopes(all.begin(), all.begin() + chosen);
    slopes.push_back(all[chosen_.size() + candidate]);
    return fit::norm(fit::own_part(slopes, chosen_.size()));
  }

  // The most useful constant that the times determine beside those before it.
  bool add_one() {
    const std::vector<Column> all = slopes_of_all();
    std::size_t best = 0;
    while (best < candidates_.size() && own_effect(all, best) < kLeastEffect) ++best;
    if (best == candidates_.size()) return false;
    const auto one = candidates_.begin() + static_cast<std::ptrdiff_t>(best);
    chosen_.push_back(*one);
    candidates_.erase(one);
    const LogTimes log_times(times_, chosen_);
    const std::vector<double> at = log_times.fitted();
    fit_.fit_s = times_.predicted(log_times.values(at));
    errors_ = log_times.errors(fit_.fit_s);
    slopes_ = log_times.slopes(at);
    for (std::size_t i = 0; i < chosen_.size(); ++i) {
      chosen_[i].start = at_most(*chosen_[i].constant, at[i]);
    }
    return true;
  }

  void keep_others() {
    const std::vector<Column> all = slopes_of_all();
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
      const KernelConstant& one = candidates_[i];
      const bool has_effect = fit::norm(all[chosen_.size() + i]) >= kLeastEffect;
      fit_.kept.push_back({one.constant, one.base,
                           has_effect ? JobConstantKept::not_alone : JobConstantKept::unused});
    }
  }

  // Where fits without one of the repetitions end.
  [[nodiscard]] std::vector<std::vector<double>> deletions() const {
    std::vector<std::vector<double>> steps;
    const auto count = static_cast<double>(times_.repeated.size());
    if (count < 2) return {};
    for (const std::vector<double>& one : times_.repeated) {
      Column errors = errors_;
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
  }

  const KernelTimes& times_;
  std::vector<KernelConstant> candidates_, chosen_;  // the chosen start at their fit
  std::vector<Column> slopes_;                       // of the chosen
  Column errors_;
  ComputeFit fit_;
};

}  // namespace

ComputeFit fit_kernels(const Job& job, const KernelTimes& times) {
  require(!times.seconds.empty() && times.seconds.size() == times.weights.size(),
          "there are times to fit to, each with its weight");
  return KernelFitter(job, times).run();
}

}  // namespace sim::study
