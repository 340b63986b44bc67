// SPDX-License-Identifier: Apache-2.0
// Communicator: a group of ranks with its collectives, laid out as NCCL would. Built once per group;
// each collective over it then costs a few operations.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/collectives/algorithm.hpp"

namespace sim {

struct Communicator {
  std::vector<int> ranks;  // ascending
  std::int32_t id = 0;
  double launch_s = 0;
  Detail detail = Detail::folded;
  std::uint32_t occupancy = 0;  // of a collective, from its begin to its end: one SM per channel
  struct LaidOut {
    const CollectiveAlgorithm* algorithm = nullptr;
    Run run;
    std::vector<CollectiveKind> chosen_for = {};
  };
  std::vector<LaidOut> laid_out = {};

  // How the collective runs. Throws std::logic_error if it was not laid out for the group.
  [[nodiscard]] const Run& run(CollectiveKind collective) const;
};

// What a transfer takes from the GPUs of `ranks` while it runs: one SM for each of `channels`, and
// the memory bandwidth for `wire_bytes` on the wire per byte of the flow.
[[nodiscard]] Occupancy transfer_occupancy(const Gpu& gpu, double channels, double wire_bytes,
                                           std::vector<std::int32_t> ranks);

// The collectives for which a communicator is made.
using Uses = std::vector<CollectiveKind>;
// All but the all_to_all.
[[nodiscard]] Uses gathers_and_sums();
[[nodiscard]] Uses every_collective();

// Lays out the collectives of `ranks`, which must be distinct and ascending.
[[nodiscard]] Communicator make_communicator(const Topology& topology, ScheduleBuilder& builder,
                                             std::vector<int> ranks, Detail detail = Detail::folded,
                                             const Uses& uses = every_collective());

}  // namespace sim
