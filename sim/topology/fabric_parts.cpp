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
    parts.cables.push_back({fmt::format("{} to {}", name, above), cables, 2, below.nodes, true});
    parts.switches.push_back({above, below.copies * switches});
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
  parts.switches.push_back({"leaf", tier.count * divided_up(taken, radix * uplink_radix)});
  parts.cables.push_back({"NIC to leaf", tier.nics, 1, tier.unit_nodes});
}

}  // namespace sim
