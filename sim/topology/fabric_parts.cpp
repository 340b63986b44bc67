// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabric_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "sim/base/error.hpp"

namespace sim {
namespace {

std::int64_t divided_up(std::int64_t all, std::int64_t parts) { return (all + parts - 1) / parts; }

// A tier of a folded Clos network halves the units only if half of a switch's ports are several.
void require_tree_ports(int radix) {
  constexpr int kLeast = 4;
  if (radix >= kLeast) return;
  throw InputError(
      fmt::format("switch.ports: a tree of several tiers needs switches with ports for at least {} "
                  "of the fabric's cables, but a switch has ports for {}; name a larger switch",
                  kLeast, radix));
}

std::string tier_name(const CoreUnits& below, std::size_t tier) {
  constexpr const char* kUpper[] = {"spine", "core", "super-core"};
  if (below.in_pod) {
    return tier == 0 ? "spine" : fmt::format("spine tier {}", tier + 1);
  }
  const std::size_t level = tier + (below.name == "leaf" ? 0 : 1);
  return level < std::size(kUpper) ? kUpper[level] : fmt::format("tier {}", level + 2);
}

}  // namespace

std::int64_t CableTier::switch_ends() const {
  std::int64_t sum = 0;
  for (const CableEnds& one : at_switches) sum += one.ends;
  return sum;
}

std::int64_t rounded_up(double value) {
  constexpr double kNoise = 1e-9;  // of 64 / 1.6, say
  return static_cast<std::int64_t>(std::ceil(value * (1 - kNoise)));
}

void require_ports(const FabricSize& size, std::int64_t ports, std::string_view of_what) {
  if (ports <= size.radix) return;
  throw InputError(
      fmt::format("switch.ports: {} takes {} ports for cables of the NICs' bandwidth, but a switch "
                  "has {}; name a larger switch",
                  of_what, ports, size.radix));
}

std::string add_core(const FabricSize& size, const CoreUnits& below, FabricParts& parts) {
  const std::int64_t half = size.uplink_radix / 2;
  std::string name = below.name;
  std::int64_t cables = below.cables;
  std::size_t tier = 0;
  const auto add = [&](std::int64_t switches) {
    std::string above = tier_name(below, tier++);
    const CableEnds lower{cables, parts.switches.back().switches};
    const CableEnds upper{cables, below.copies * switches};
    parts.cables.push_back({.name = fmt::format("{} to {}", name, above),
                            .cables = cables,
                            .at_switches = {lower, upper},
                            .nodes = below.nodes,
                            .uplinks = true});
    parts.switches.push_back({above, upper.switches});
    name = std::move(above);
    cables = below.copies * below.ports;
  };
  // A switch of the top tier has `ports` of every `ports + up` of its ports towards the units.
  std::int64_t units = below.count;
  while (units * (below.ports + below.up) > size.uplink_radix * below.ports) {
    require_tree_ports(size.uplink_radix);
    add(divided_up(below.ports, half));
    units = divided_up(units, half);
  }
  add(divided_up(below.ports + below.up, size.uplink_radix));
  return name;
}

void add_leaf_tier(const FabricSize& size, const LeafTier& tier, FabricParts& parts) {
  // Over a common denominator: an uplink may take another share of a switch than a NIC.
  const std::int64_t radix = size.radix, uplink_radix = size.uplink_radix;
  const std::int64_t taken = tier.down * uplink_radix + tier.up * radix;
  const std::int64_t leaves = tier.count * divided_up(taken, radix * uplink_radix);
  parts.switches.push_back({"leaf", leaves});
  parts.cables.push_back({.name = "NIC to leaf",
                          .cables = tier.nics,
                          .at_switches = {{tier.nics, leaves}},
                          .nodes = tier.unit_nodes});
}

}  // namespace sim
