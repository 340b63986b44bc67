// SPDX-License-Identifier: Apache-2.0
// Communicator: a group of ranks and the rings of its collectives, laid out as NCCL would. Built
// once per group; each collective over it then costs a few operations.
//
// A ring crosses between nodes on a NIC and visits the group's GPUs of a node over NVLink:
//
//   node 0                    node 1
//   GPU0 ─► GPU1 ─► GPU2 ─NIC─► GPU0 ─► GPU1 ─► GPU2 ─NIC─► node 0
//
// One communicator has `channels` rings. They take the NICs of the group's own GPUs in turn, so a
// group with one GPU per node uses one NIC. On a full mesh the rings take different orders, so that
// every link is used.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/schedule/builder.hpp"

namespace sim {

// Part of a collective that progresses as one flow.
struct Leg {
  std::uint32_t route = 0;
  std::uint32_t occupancy = 0;  // memory traffic of the sending GPUs
  double unit = 0;              // bytes of each share per byte of the collective
};

// Folded: simultaneous equal hops are one flow. Step by step: each hop of a ring and each pair of
// an all_to_all is a flow of its own, which is slower to simulate and serves to check the folding.
enum class Detail { folded, step_by_step };

struct Communicator {
  std::vector<int> ranks;  // ascending
  std::int32_t id = 0;
  double launch_s = 0;
  double ring_step_s = 0;   // latency of one step of a ring: mean over its hops
  double all_to_all_s = 0;  // latency of an all_to_all: that of its farthest pair
  Detail detail = Detail::folded;
  std::uint32_t occupancy = 0;  // of a collective, from its begin to its end: one SM per channel
  std::vector<Leg> ring =
      {};  // folded: one flow per few nodes, `unit` per byte that each rank sends
  // Step by step: the hops of each distinct ring in order, `unit` per byte that each rank sends.
  std::vector<std::vector<Leg>> ring_hops = {};
  double hops = 0;  // over all distinct rings
  // `unit` per byte that each rank sends to each other rank.
  std::vector<Leg> all_to_all = {};
};

// What a transfer takes from the GPUs of `ranks` while it runs: one SM for each of `channels`, and
// the memory bandwidth for `wire_bytes` on the wire per byte of the flow.
[[nodiscard]] Occupancy transfer_occupancy(const Gpu& gpu, double channels, double wire_bytes,
                                           std::vector<std::int32_t> ranks);

// The collectives for which a communicator is made.
struct Uses {
  bool ring = true;
  bool all_to_all = true;
};

// Lays out the collectives of `ranks`, which must be distinct and ascending.
[[nodiscard]] Communicator make_communicator(const Topology& topology, ScheduleBuilder& builder,
                                             std::vector<int> ranks, Detail detail = Detail::folded,
                                             Uses uses = {});

}  // namespace sim
