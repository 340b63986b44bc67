// SPDX-License-Identifier: Apache-2.0
// What a fabric is built of: switches by tier, and the cables between tiers. Each fabric counts its
// own, beside its row.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/topology/cluster.hpp"

namespace sim {

struct SwitchTier {
  std::string name;  // "leaf"
  std::int64_t switches = 0;
};

// Ends of cables at the switches of a tier, spread as evenly as they can be.
struct CableEnds {
  std::int64_t ends = 0;
  std::int64_t switches = 1;
};

// Cables of the NICs' bandwidth, or of network.uplink_bandwidth.
struct CableTier {
  std::string name;  // "NIC to leaf"
  std::int64_t cables = 0;
  std::vector<CableEnds> at_switches = {};  // of a cable's two ends; the others are at NICs
  std::int64_t nodes = 0;  // that the unit holds inside which they run: a leaf's, a pod's, all
  bool uplinks = false;

  [[nodiscard]] std::int64_t switch_ends() const;
};

struct FabricParts {
  std::vector<SwitchTier> switches = {};
  std::vector<CableTier> cables = {};
  std::int64_t nodes = 0;  // that it joins, if its shape and not the cluster's size fixes them
};

// What a fabric is built for: its nodes, with switches of so many ports for cables of the NICs'
// bandwidth, or for uplinks.
struct FabricSize {
  int nodes = 1;
  int radix = 64;
  int uplink_radix = 64;
};

[[nodiscard]] std::int64_t rounded_up(double value);
// Throws InputError: a switch has fewer ports than the fabric needs of it.
void require_ports(const FabricSize& size, std::int64_t ports, std::string_view of_what);

// What switches of a core join: `count` units of equal shares of `ports` cables upwards.
struct CoreUnits {
  std::string name = "leaf";
  std::int64_t count = 1, ports = 0;
  std::int64_t cables = 0;  // of all copies: fewer than their ports if the last one is not full
  std::int64_t nodes = 1;   // that a copy joins
  bool in_pod = false;
  std::int64_t copies = 1, up = 0;  // pods, and uplinks of each
};
// Adds the non-blocking switches that join the units, and returns the name of their top tier: spines
// while each of them reaches every unit, else tiers of a folded Clos network, half of whose ports
// lead up. Throws InputError for switches too small for a tier that halves the units.
std::string add_core(const FabricSize& size, const CoreUnits& below, FabricParts& parts);

// The switches that NICs are plugged into: `count` units of `down` ports and `up` uplinks each, and
// their cables to NICs inside units of `unit_nodes` nodes. Units of more ports than a switch has
// are several switches.
struct LeafTier {
  std::int64_t count = 1, down = 1, up = 0, nics = 1;
  std::int64_t unit_nodes = 1;
};
void add_leaf_tier(const FabricSize& size, const LeafTier& tier, FabricParts& parts);

}  // namespace sim
