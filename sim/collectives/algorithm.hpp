// SPDX-License-Identifier: Apache-2.0
// Algorithms of collectives, a row each, with a file of its own. An algorithm lays out its flows
// once per group of ranks; each collective over the group then costs a few operations.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/schedule/builder.hpp"
#include "sim/topology/hop.hpp"
#include "sim/topology/topology.hpp"

namespace sim {

struct Call;
struct Communicator;

enum class CollectiveKind { all_gather, reduce_scatter, all_reduce, all_to_all };

// Folded: simultaneous equal hops are one flow. Step by step: each hop of a ring and each pair of
// an all_to_all is a flow of its own, which is slower to simulate and serves to check the folding.
enum class Detail { folded, step_by_step };

// Part of a collective that progresses as one flow.
struct Leg {
  std::uint32_t route = 0;
  std::uint32_t occupancy = 0;  // memory traffic of the sending GPUs
  double unit = 0;              // bytes of each share per byte of the collective
};

// A leg before it is part of a schedule: hops that progress together.
struct LegDraft {
  std::vector<Hop> hops = {};
  double unit = 1;      // Leg::unit
  double channels = 1;  // per share: Route::channels
};

// Appends a collective over the group's legs, with the bytes of the whole buffer (of an all_to_all:
// of each rank's). They are above 0, and the group has two ranks or more.
using Run = std::function<void(ScheduleBuilder& builder, const Communicator& group,
                               std::span<const Leg> legs, CollectiveKind collective, double bytes,
                               const Call& call)>;

// The flows of a group's collectives.
struct LaidOut {
  std::vector<LegDraft> legs;  // in the order in which `run` expects them
  // Latencies and whatever else the times of `run` depend on, besides legs and the number of ranks:
  // groups are alike only if theirs are equal.
  std::vector<double> pace;
  Run run;
};

struct CollectiveAlgorithm {
  std::string_view name;
  std::span<const CollectiveKind> runs;
  // Its collectives over the ranks, which ascend. Called once for each group.
  LaidOut (*lay_out)(const Topology& topology, const std::vector<int>& ranks,
                     Detail detail) = nullptr;
  // Bytes that a rank sends, on average, per byte of the buffer.
  double (*sent)(CollectiveKind collective, int ranks) = nullptr;

  [[nodiscard]] bool can_run(CollectiveKind collective) const;
};

namespace algorithms {
extern const CollectiveAlgorithm ring, pairwise, tree;
}  // namespace algorithms

[[nodiscard]] std::span<const CollectiveAlgorithm* const> all_algorithms();
// That of the name, which must run an all_reduce: "ring" or "tree". Throws an InputError that begins
// with `place`.
[[nodiscard]] const CollectiveAlgorithm& all_reduce_algorithm(std::string_view name,
                                                              std::string_view place);
// The algorithm that runs the collective on the cluster: its own, if that can, or else the first of
// all_algorithms() that can.
[[nodiscard]] const CollectiveAlgorithm& algorithm_of(const Cluster& cluster,
                                                      CollectiveKind collective);

}  // namespace sim
