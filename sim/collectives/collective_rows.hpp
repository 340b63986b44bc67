// SPDX-License-Identifier: Apache-2.0
// The collectives that move a buffer, as a table: checks and displays go over all its rows.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "sim/collectives/collectives.hpp"

namespace sim {

struct CollectiveRow {
  std::string_view name;
  CollectiveKind collective;
  int rounds;  // each of n ranks sends `rounds` * (n-1)/n of the buffer; 0: all of it, once

  // Share of that buffer that a rank sends. Multiplied by this, the buffer over the time is the bus
  // bandwidth of nccl-tests: the traffic that has to pass a rank's links whatever the algorithm,
  // over the time (its PERFORMANCE.md).
  [[nodiscard]] double sent_share(int ranks) const {
    return rounds == 0 ? 1 : rounds * (ranks - 1.0) / ranks;
  }
};

[[nodiscard]] std::span<const CollectiveRow> all_collectives();
// Throws an InputError that lists the known names; `place` is where the name was given.
[[nodiscard]] const CollectiveRow& collective_named(std::string_view name,
                                                    std::string_view place = "collective");

// A collective and nothing else.
struct LoneCollective {
  Schedule schedule;
  std::string_view algorithm, protocol;  // of the first group of several: "ring" and "ll128"
  double latency_s = 0;  // of that group: what the same algorithm and protocol take for one byte
};
// By the order, of which the protocol is chosen.
[[nodiscard]] LoneCollective run_alone(Order order, std::string_view label, ScheduleBuilder builder,
                                       std::span<const Communicator> groups);
// Over all groups at once, which the builder knows. Bytes are those of each group's buffer.
[[nodiscard]] LoneCollective run_alone(const CollectiveRow& row, ScheduleBuilder builder,
                                       std::span<const Communicator> groups, double bytes,
                                       Buffers buffers);
// Over groups of ranks of which each stands for itself.
[[nodiscard]] LoneCollective run_alone(const CollectiveRow& row, const Topology& topology,
                                       std::span<const std::vector<int>> groups, double bytes,
                                       Detail detail, Buffers buffers);
// Its schedule.
[[nodiscard]] Schedule schedule_of(const CollectiveRow& row, const Topology& topology,
                                   std::span<const std::vector<int>> groups, double bytes,
                                   Detail detail, Buffers buffers = Buffers::in_place);

}  // namespace sim
