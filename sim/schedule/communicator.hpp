// Communicator: a group of ranks and the rings that its collectives run on, as NCCL would lay them
// out. Built once for a group; each collective over it then costs a few operations.
//
// A ring crosses from node to node on a NIC and visits the group's GPUs of a node over NVLink:
//
//   node 0                    node 1
//   GPU0 ─► GPU1 ─► GPU2 ─NIC─► GPU0 ─► GPU1 ─► GPU2 ─NIC─► node 0
//
// One communicator has `channels` rings. They take the NICs of the group's own GPUs in turn, so a
// group with one GPU a node uses one NIC. On a full mesh they take different orders, so that every
// link is used.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/schedule/builder.hpp"

namespace sim {

// Part of a collective that progresses as one flow.
struct Leg {
  std::uint32_t route = 0;
  std::uint32_t occupancy = 0;  // memory traffic of the GPUs that send
  double unit = 0;              // bytes of each share for each byte of the collective
};

// Folded, hops that do the same at the same time are one flow. Step by step, each hop of a ring and
// each pair of an all_to_all is a flow of its own: slower to simulate, and the check of the fold.
enum class Detail { folded, step_by_step };

struct Communicator {
  std::vector<int> ranks;  // ascending
  std::int32_t id = 0;
  double launch_s = 0;
  double ring_step_s = 0;   // latency of a ring's step: mean over its hops
  double all_to_all_s = 0;  // latency of an all_to_all: its farthest pair's
  Detail detail = Detail::folded;
  std::uint32_t occupancy = 0;  // of a collective, from its begin to its end: an SM a channel
  std::vector<Leg> ring =
      {};  // folded: a flow for a few nodes, `unit` per byte that each rank sends
  // Step by step: for each distinct ring its hops in order, `unit` per byte that each rank sends.
  std::vector<std::vector<Leg>> ring_hops = {};
  double hops = 0;  // of all distinct rings
  // `unit` per byte that each rank sends to each other rank.
  std::vector<Leg> all_to_all = {};
};

// What a transfer takes from the GPUs of `ranks` while it runs: an SM for each of `channels`, and the
// memory bandwidth that moves what each has on the wire, so many bytes for each byte of the flow.
[[nodiscard]] Occupancy transfer_occupancy(const Gpu& gpu, double channels, double wire_bytes,
                                           std::vector<std::int32_t> ranks);

// The collectives that a communicator is made for.
struct Uses {
  bool ring = true;
  bool all_to_all = true;
};

// Lays out the collectives of `ranks`, which are distinct and ascending.
[[nodiscard]] Communicator make_communicator(const Cluster& cluster, ScheduleBuilder& builder,
                                             std::vector<int> ranks, Detail detail = Detail::folded,
                                             Uses uses = {});

}  // namespace sim
