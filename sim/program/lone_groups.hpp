// SPDX-License-Identifier: Apache-2.0
// LoneGroups: groups of ranks that run one collective at once and nothing else. They are laid out
// once for buffers of all sizes, and where ranks and links are alike, one stands for all
// (sim/program/alike_groups.hpp).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sim/collectives/collective_rows.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

class LoneGroups {
 public:
  // `uses` are the collectives that they may run. Without a detail: folded, unless the schedule
  // wants steps. The topology must outlive this.
  LoneGroups(const Topology& topology, std::vector<std::vector<int>> groups, Uses uses,
             std::optional<Detail> detail = {});

  struct Alone {
    LoneCollective collective;
    Wiring wiring;  // of its schedule
  };
  // Bytes are those of each group's buffer.
  [[nodiscard]] Alone run(const CollectiveRow& row, double bytes, Buffers buffers) const;
  // The protocol is chosen.
  [[nodiscard]] Alone run(const Order& order, std::string_view label) const;

  [[nodiscard]] const Cluster& cluster() const { return topology_->cluster(); }
  [[nodiscard]] int ranks() const { return static_cast<int>(groups_.front().size()); }  // of each

 private:
  struct LaidOut {
    ScheduleBuilder builder;
    std::vector<Communicator> groups;
    std::optional<Wiring> wiring;  // of the builder's routes, where ranks stand for others
  };
  [[nodiscard]] LaidOut lay_out(Detail detail) const;
  [[nodiscard]] Alone run(const LaidOut& on, const Order& order, std::string_view label) const;

  const Topology* topology_;
  std::vector<std::vector<int>> groups_;
  Uses uses_;
  bool may_want_steps_;
  LaidOut laid_out_;
};

}  // namespace sim
