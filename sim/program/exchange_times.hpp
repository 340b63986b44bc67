// SPDX-License-Identifier: Apache-2.0
// ExchangeTimes: lower bounds of what ranks exchange in each layer, from the collectives alone. Each is
// laid out once, for one group of ranks, and no step is.
#pragma once

#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "sim/program/lay_out.hpp"
#include "sim/program/lone_groups.hpp"
#include "sim/workload/operators.hpp"

namespace sim {

class ExchangeTimes {
 public:
  explicit ExchangeTimes(const Cluster& cluster);
  ExchangeTimes(const ExchangeTimes&) = delete;

  // What no exchange is faster than when nothing else runs, with its codecs: 0 where ranks exchange
  // nothing, and of groups that lie unevenly over nodes, whose collectives are approximate.
  struct Exchange {
    double seconds = 0;
    bool leaves_nodes = false;
    bool operator==(const Exchange&) const = default;
  };
  // At a point of a layer.
  [[nodiscard]] Exchange at(const StepSizes& shape, Point point);
  // Of what gathers a block's input once more.
  [[nodiscard]] Exchange gather_again(const StepSizes& shape);
  // Of one transfer among these ranks.
  [[nodiscard]] double least_s(const std::vector<int>& ranks, const Transfer& transfer);

 private:
  using LoneKey = std::tuple<std::vector<int>, Use>;

  [[nodiscard]] Exchange of(const StepSizes& shape, const std::vector<Communication>& together);

  const Cluster cluster_;
  const Topology topology_;
  std::map<LoneKey, LoneGroups> groups_;
  std::map<std::pair<const LoneGroups*, Order>, double> seconds_;
};

}  // namespace sim
