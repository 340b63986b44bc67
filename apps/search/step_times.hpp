// Times of steps of one job, each simulated once, and not at all where a bound tells enough.
//
// What a step cannot be faster than follows in closed form (apps/search/first_bound.hpp), and is read
// off its schedule (sim/schedule/least_time.hpp); for other speeds of the NICs too, since the kernels
// of one GPU's compute stream run one after the other, and what leaves a node passes its NICs.
// Planning takes a fifth of the time of a simulation. Simulations with faster NICs are bounds too.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/job/job.hpp"
#include "apps/search/first_bound.hpp"

namespace apps {

// A text that differs between setups of a job that are not the same.
[[nodiscard]] std::string key_of(const Setup& setup);

class StepTimes {
 public:
  explicit StepTimes(const Job& job) : job_(job) {}

  // Seconds of the step where NICs are `factor` times as fast (a cap of one communicator scales
  // along); or, where they are at least `limit` for certain, such a bound.
  double seconds(const Setup& setup, double factor = 1,
                 double limit = std::numeric_limits<double>::infinity());
  // The least of several, or at least `limit` where none is below it.
  double least(std::span<const Setup> setups, double factor,
               double limit = std::numeric_limits<double>::infinity());
  // Whether one of them takes `seconds` at most.
  bool any_reaches(std::span<const Setup> setups, double factor, double seconds);
  // What a simulation of the step on the cluster as it is has given already.
  void know(const Setup& setup, double seconds) { known(setup).seconds[1] = seconds; }
  // What the step takes at least, by what is known of it without planning it.
  double at_least(const Setup& setup, double factor = 1) { return at_least(known(setup), factor); }

 private:
  struct Bound {
    double compute_s = 0;
    double network_s = 0;  // of the NICs as they are
  };
  struct Known {
    FirstBound first;
    std::optional<Bound> bound;             // of the schedule
    std::map<double, double> seconds = {};  // by factor
  };
  [[nodiscard]] std::vector<std::pair<double, const Setup*>> by_bound(std::span<const Setup> setups,
                                                                      double factor);
  [[nodiscard]] Known& known(const Setup& setup);
  [[nodiscard]] double at_least(const Known& known, double factor) const;
  [[nodiscard]] Bound bound_of(const sim::Schedule& schedule) const;

  const Job& job_;
  FirstBounds first_;
  std::map<std::string, Known> known_;  // by what the setup is
};

}  // namespace apps
