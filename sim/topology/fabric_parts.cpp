// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabric_parts.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"

namespace sim {
namespace {

std::int64_t divided_up(std::int64_t all, std::int64_t parts) { return (all + parts - 1) / parts; }

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

void add_core(const FabricSize& size, std::int64_t ports, std::int64_t units,
              const std::string& from, FabricParts& parts) {
  constexpr const char* kUpper[] = {"spine", "core", "super-core"};
  const std::int64_t half = size.radix / 2;
  std::string below = from;
  std::size_t level = from == "spine" ? 1 : 0;
  const auto add = [&](std::int64_t switches) {
    std::string name =
        level < std::size(kUpper) ? kUpper[level] : fmt::format("tier {}", level + 2);
    ++level;
    parts.cables.push_back({fmt::format("{} to {}", below, name), ports, 2, size.nodes});
    parts.switches.push_back({name, switches});
    below = std::move(name);
  };
  for (; units > size.radix; units = divided_up(units, half)) add(divided_up(ports, half));
  add(divided_up(ports, size.radix));
}

void add_leaf_tier(const FabricSize& size, const LeafTier& tier, FabricParts& parts) {
  parts.switches.push_back({"leaf", tier.count * divided_up(tier.down + tier.up, size.radix)});
  parts.cables.push_back({"NIC to leaf", tier.nics, 1, tier.unit_nodes});
}

}  // namespace sim
