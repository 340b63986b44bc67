// SPDX-License-Identifier: Apache-2.0
// Times of one job's steps, each simulated at most once, and not at all if a bound suffices.
//
// Lower bounds of a step come in closed form (sim/study/search/first_bound.hpp), and from its schedule
// (sim/schedule/least_time.hpp); for other NIC speeds too, since the kernels of one GPU's compute
// stream run one after another, and traffic out of a node passes its NICs. Planning takes a fifth
// of the time of a simulation. Simulations with faster NICs are bounds too.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/study/job.hpp"
#include "sim/study/search/first_bound.hpp"
#include "sim/study/search/memo.hpp"

namespace sim::study {

class StepTimes {
 public:
  // `jobs` of several at a time.
  explicit StepTimes(const Job& job, int jobs = 1) : job_(job), jobs_(jobs) {}

  // Seconds of the step with NICs `factor` times as fast (a cap on one communicator scales along);
  // or a lower bound, if that is already at least `limit`.
  double seconds(const Setup& setup, double factor = 1,
                 double limit = std::numeric_limits<double>::infinity());
  // The same of several different setups, in their order. `step` is called before each.
  [[nodiscard]] std::vector<double> seconds(
      std::span<const Setup* const> setups, double factor, double limit,
      const std::function<void()>& step = [] {});
  // The least of several, or `limit` if none is below it.
  double least(std::span<const Setup> setups, double factor,
               double limit = std::numeric_limits<double>::infinity());
  // Records the result of an earlier simulation on the unchanged cluster.
  void know(const Setup& setup, double seconds);
  // A lower bound of the step, from what is known without planning it.
  double at_least(const Setup& setup, double factor = 1) { return at_least(known(setup), factor); }

 private:
  struct Bound {
    double compute_s = 0;
    double network_s = 0;  // with unchanged NICs
  };
  struct Known {
    std::optional<FirstBound> first;        // once it is asked for
    std::optional<Bound> bound;             // of the schedule
    std::map<double, double> seconds = {};  // by factor
  };
  [[nodiscard]] std::vector<std::pair<double, const Setup*>> by_bound(std::span<const Setup> setups,
                                                                      double factor);
  [[nodiscard]] Known& known(const Setup& setup);
  [[nodiscard]] double seconds(Known& known, const Setup& setup, double factor, double limit) const;
  [[nodiscard]] double at_least(const Known& known, double factor) const;

  const Job& job_;
  const int jobs_;
  FirstBounds first_;
  Memo<Parallelism, Scheme, Known> known_;
};

}  // namespace sim::study
