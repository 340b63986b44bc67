// SPDX-License-Identifier: Apache-2.0
// Times of the steps of a space's candidates, each computed once, from any thread. Every simulated time is compared
// with its bounds.
#pragma once

#include <utility>

#include "sim/base/once.hpp"
#include "sim/report/report.hpp"
#include "sim/study/plan/space.hpp"
#include "sim/study/search/first_bound.hpp"

namespace sim::study {

class ClusterTimes {
 public:
  explicit ClusterTimes(const Space& space) : space_(space) {}

  // Lower bounds of a step's seconds: in closed form (for a group, the time of its kernels under
  // any scheme), from the order of each stage alone, and from its schedule (least_time()).
  [[nodiscard]] double first_bound(const Candidate& candidate);
  [[nodiscard]] double ordered_bound(const Candidate& candidate);
  [[nodiscard]] double planned_bound(const Candidate& candidate);
  [[nodiscard]] const Report& simulated(const Candidate& candidate);

  // Number of schedules planned, each for all NIC speeds, and of steps simulated.
  [[nodiscard]] std::int64_t planned() const {
    return static_cast<std::int64_t>(planned_bounds_.size());
  }
  [[nodiscard]] std::int64_t simulations() const {
    return static_cast<std::int64_t>(reports_.size());
  }

 private:
  using Key = std::pair<std::size_t, std::size_t>;  // layout, offer
  [[nodiscard]] static Key key(const Candidate& one) { return {one.layout, one.offer}; }

  const Space& space_;
  FirstBounds first_;
  [[nodiscard]] double group_bound(const Candidate& group);

  Once<Key, double> first_bounds_;
  Once<Key, double> group_bounds_;  // by frame instead of layout
  Once<Key, double> planned_bounds_;
  Once<Key, Report> reports_;
};

}  // namespace sim::study
