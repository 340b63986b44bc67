// SPDX-License-Identifier: Apache-2.0
// The order of sites around a ring. Every hop of a ring carries as much at once, so the slowest of its
// links sets its pace; which links are crossed, and by how many hops each, is the order's choice. PCCL
// (arXiv 2505.14065, section 4) measures all pairs and orders its ring by them.
#pragma once

#include <span>
#include <vector>

#include "sim/schemes/scheme.hpp"
#include "sim/topology/wide_topology.hpp"

namespace sim {

// What a ring costs, each member sending to the next one and the last to the first. Lower is faster:
// the first that differs decides.
struct RingCost {
  // Hops over dead links, which third sites pass on (sim/sites/detours.hpp): PCCL could not measure
  // such a pair, so a ring without it is better, however fast the detour.
  int detours = 0;
  double s_per_byte = 0;  // of each hop's bytes: over the fullest link, or the slowest connection
  double hops_s_per_byte = 0;  // the same of each hop alone, added up
  double latency_s = 0;        // of all hops
  auto operator<=>(const RingCost&) const = default;
};

// At the full rates of the links, whatever varies with time.
[[nodiscard]] RingCost ring_cost(const WideTopology& topology, std::span<const int> ring);

// The places, which are given in ascending order, from the first one on. Exact for up to 8 of them;
// beyond, exchanges and reversals of parts of the ring improve it until none does. `relays` may pass
// on what a dead link does not carry; none given: the places themselves.
[[nodiscard]] std::vector<int> ordered_ring(const WideArea& area, std::vector<int> places,
                                            RingOrder order, std::span<const int> relays = {});

}  // namespace sim
