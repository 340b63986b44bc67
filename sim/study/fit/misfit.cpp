// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/misfit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::study {
namespace {

// Deviations of a prior beyond which a constant is not believed, and a factor that must lie beyond as
// well: a cluster that was fitted before has a narrow prior. Networks have none: sockets, or
// memory that adapters cannot read, make one slower by more than an order of magnitude.
constexpr double kNotBelieved = 4, kLeastFactor = 1.6;
constexpr double kLeastNetwork = 0.02;  // a 1 Gb/s port beside a 50 Gb/s adapter
// Median error of left-out times at which the model does not describe them.
constexpr double kPoorFit = 0.1;

double median_error(const std::vector<double>& predicted, const std::vector<double>& measured) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    errors.push_back(std::abs(predicted[i] / measured[i] - 1));
  }
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::ranges::nth_element(errors, middle);
  return *middle;
}

std::string check_for(const JobConstant& constant) {
  switch (constant.part) {
    case Part::network:
      return "that collectives ran over another network, or a wrong number of GPUs or adapters; "
             "check the topology";
    case Part::gpus:
      return "GPUs that are held back by power, heat or clocks, or another job than the flags "
             "describe; check `precision`, `recompute`, `attention`, `sequence` and the model";
    case Part::host:
      return "a host that is busy with something else";
    default:
      return "something that the model lacks";
  }
}

bool is_far(const DoubtfulConstant& one) {
  if (one.constant->part == Part::network) return one.value < kLeastNetwork * one.center;
  return one.off() > kNotBelieved &&
         std::abs(std::log(one.value / one.center)) > std::log(kLeastFactor);
}

}  // namespace

std::vector<std::string> misfits_of(const LikelyFit& fit, const MeasuredTimes& times) {
  std::vector<std::string> misfits;
  for (const DoubtfulConstant& one : fit.optimum.free) {
    if (!is_far(one)) continue;
    misfits.push_back(
        fmt::format("{} is {:.3g} times what the base has; for that there would have "
                    "to be {}",
                    one.constant->text, one.value / one.center, check_for(*one.constant)));
  }
  if (fit.without_s.empty()) return misfits;
  const double off = median_error(fit.without_s, times.seconds);
  if (off > kPoorFit) {
    misfits.push_back(
        fmt::format("half of the times are {:.0f} % or more off what a fit to the others predicts: "
                    "the job is not what the flags describe, or something beside it took time",
                    100 * off));
  }
  return misfits;
}

std::vector<std::string> misfits_of(const fit::Fit& fitted, double fit_error, double base_error) {
  constexpr double kFullShare = 0.98;
  // Rings reach 0.9 of links between nodes and inside them; published logs no less than 0.7 of the
  // efficiency of a shipped cluster of their kind.
  constexpr double kLeastOfBase = 0.7;
  std::vector<std::string> misfits;
  for (const fit::FittedConstant& one : fitted.fitted) {
    if (one.constant->measure != fit::Measure::share || one.bound) continue;
    if (one.value >= kFullShare) {
      misfits.push_back(fmt::format(
          "{} is at its limit: the links are faster than the topology says; check its bandwidth",
          one.constant->key));
    }
    const bool is_of_links =
        one.constant->key == "network.efficiency" || one.constant->key == "nvlink.efficiency";
    if (is_of_links && one.value < kLeastOfBase * one.base) {
      misfits.push_back(fmt::format(
          "{} of {:.2g} is {:.0f} % of the base's; for that the links would have to be slower than "
          "the topology says, or broken; check its bandwidth",
          one.constant->key, one.value, 100 * one.value / one.base));
    }
  }
  if (fit_error > kPoorFit) {
    misfits.push_back(
        fmt::format("the times are {:.0f} % off the fit on average (base: {:.0f} %); check the "
                    "topology, and that nothing else used the links",
                    100 * fit_error, 100 * base_error));
  }
  return misfits;
}

}  // namespace sim::study
