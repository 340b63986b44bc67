// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/bill.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/error.hpp"
#include "sim/base/fields.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

constexpr NumberRange kYears{.lowest = 0, .highest = 50};
constexpr const char* kNode = "node";

constexpr Field<NetworkParts> kPartsFields[] = {
    // For people alone.
    {.name = "summary",
     .usual = kRequired,
     .meaning = "One line that describes the parts.",
     .value = field_values::words<std::string>,
     .read = [](TomlReader& reader, std::string_view name, const Field<NetworkParts>&,
                NetworkParts&) { static_cast<void>(reader.text(name)); },
     .write = [](const NetworkParts&, const NumberRange&) { return std::string(); }},
    field<&NetworkParts::ports>("switch.ports", from_to(2, 4096), kRequired, "Ports of a switch."),
    field<&NetworkParts::port_bandwidth>(
        "switch.port_bandwidth", kAboveZero, kRequired,
        "Bandwidth of a port per direction. Slower NICs share it by breakout cables.", "800 Gbps"),
    field<&NetworkParts::network_switch, &PricedPart::price>(
        "switch.price", kAny, kRequired, "Price of a switch without transceivers.", "20 kUSD"),
    field<&NetworkParts::network_switch, &PricedPart::power>(
        "switch.power", kAny, kRequired, "Power of a switch without transceivers.", "800 W"),
    field<&NetworkParts::transceiver, &PricedPart::price>(
        "transceiver.price", kAny, kRequired,
        "Price of a transceiver; an optical cable needs one at each end.", "900 USD"),
    field<&NetworkParts::transceiver, &PricedPart::power>("transceiver.power", kAny, kRequired,
                                                          "Power of a transceiver.", "9 W"),
    field<&NetworkParts::fiber, &PricedPart::price>(
        "fiber.price", kAny, kRequired, "Price of an optical cable without transceivers.",
        "100 USD"),
    field<&NetworkParts::copper, &PricedPart::price>(
        "copper.price", kAny, kRequired, "Price of a copper cable with its plugs.", "200 USD"),
    field<&NetworkParts::copper, &PricedPart::power>("copper.power", kAny, left_out("0 W: passive"),
                                                     "Power of a copper cable, at both ends.",
                                                     "3 W"),
    field<&NetworkParts::nodes_per_rack>(
        "rack.nodes", from_to(1, 65'536), kRequired,
        "Nodes in a rack. Cables that stay inside one are of copper."),
    field<&NetworkParts::node, &PricedPart::price>(
        "node.price", kAny, left_out("nodes are not counted"),
        "Price of a node with its GPUs and NICs.", "300 kUSD"),
    field<&NetworkParts::node, &PricedPart::power>(
        "node.power", kAny, needed_with("node.price", "needed with node.price"),
        "Power of a node under load.", "10 kW"),
    field<&NetworkParts::years>("use.years", kYears, kUsualValue,
                                "Years of use, whose power a plan to buy pays for."),
};

constexpr double kMostAtOnce = 1e4;  // cables of a port, ports of a cable, cables of a link

// How cables of one bandwidth fit the ports: several share one, or one takes several.
struct PortFit {
  std::int64_t cables_per_port = 1;
  std::int64_t ports_per_cable = 1;

  // Throws an InputError where no such cable would be plugged into such a port.
  PortFit(Bandwidth cable, Bandwidth port) {
    constexpr double kNoise = 1e-9;
    const double ratio = port / cable;
    if (ratio > kMostAtOnce || ratio < 1 / kMostAtOnce) {
      throw InputError(
          fmt::format("switch.port_bandwidth: {} does not go with cables of {}; write a rate at "
                      "most {:.0f} times "
                      "above or below",
                      to_text(port), to_text(cable), kMostAtOnce));
    }
    if (ratio >= 1) {
      cables_per_port = static_cast<std::int64_t>(std::floor(ratio * (1 + kNoise)));
    } else {
      ports_per_cable = rounded_up(1 / ratio);
    }
  }
  // A port that is half in use is a whole one, with a whole transceiver.
  [[nodiscard]] std::int64_t ports_of_one(std::int64_t ends) const {
    return (ends + cables_per_port - 1) / cables_per_port * ports_per_cable;
  }
  [[nodiscard]] std::int64_t ports_for(const CableEnds& all) const {
    const std::int64_t each = all.ends / all.switches, more = all.ends % all.switches;
    return more * ports_of_one(each + 1) + (all.switches - more) * ports_of_one(each);
  }
};

void add_cables(const CableTier& tier, const NetworkParts& parts, const PortFit& fit, Bill& bill) {
  const std::int64_t cables = tier.cables * fit.ports_per_cable;
  std::int64_t at_switches = 0;
  for (const CableEnds& ends : tier.at_switches) at_switches += fit.ports_for(ends);
  bill.ports_used += at_switches;
  if (tier.nodes <= parts.nodes_per_rack) {
    bill.lines.push_back({"copper cable", tier.name, cables, parts.copper});
    return;
  }
  const std::int64_t elsewhere = (2 * tier.cables - tier.switch_ends()) * fit.ports_per_cable;
  bill.lines.push_back({"transceiver", tier.name, at_switches + elsewhere, parts.transceiver});
  bill.lines.push_back({"optical cable", tier.name, cables, parts.fiber});
}

// Cables that fit a switch.
int radix_of(const NetworkParts& parts, const PortFit& fit, const char* cable) {
  const std::int64_t radix = parts.ports * fit.cables_per_port / fit.ports_per_cable;
  if (radix < 2) {
    throw InputError(
        fmt::format("switch.ports: {} ports are too few for one {}; name more or faster ones",
                    parts.ports, cable));
  }
  return static_cast<int>(radix);
}

// Throws an InputError that begins with a key of the parts where their switches do not suffice.
Bill bill_with(const Cluster& cluster, const NetworkParts& parts) {
  const Network& network = cluster.network;
  const PortFit fit(network.nic_bandwidth, parts.port_bandwidth);
  const PortFit uplink_fit(network.uplink_bandwidth, parts.port_bandwidth);
  Bill bill{.radix = radix_of(parts, fit, "cable of a NIC"), .nodes = cluster.nodes};
  if (parts.node) bill.lines.push_back({kNode, "", cluster.nodes, *parts.node});
  if (cluster.nodes == 1) return bill;
  const FabricParts fabric = network.fabric->parts(
      network, {cluster.nodes, bill.radix, radix_of(parts, uplink_fit, "uplink")});
  if (fabric.nodes > 0) bill.nodes = fabric.nodes;
  for (const SwitchTier& tier : fabric.switches) {
    if (tier.switches == 0) continue;
    bill.lines.push_back({"switch", tier.name, tier.switches, parts.network_switch});
    bill.ports += tier.switches * parts.ports;
  }
  for (const CableTier& tier : fabric.cables) {
    if (tier.cables == 0) continue;  // between the groups of a dragonfly of one, say
    add_cables(tier, parts, tier.uplinks ? uplink_fit : fit, bill);
  }
  if (bill.ports_used > bill.ports) {
    throw InputError(
        fmt::format("switch.ports: the cables take {} ports of switches that have {}, because "
                    "cables of different tiers do not share a port; name a larger switch",
                    bill.ports_used, bill.ports));
  }
  return bill;
}

}  // namespace

std::span<const TomlKey> network_parts_keys() {
  static const KeyTable table = KeyTable().add("", kPartsFields, NetworkParts());
  return table.keys();
}

NetworkParts parse_network_parts(std::string_view text, const std::filesystem::path& file) {
  TomlReader reader(parse_toml(text, file), network_parts_keys());
  NetworkParts parts{.name = file.stem().string(), .file = file};
  read_fields(reader, "", kPartsFields, parts);
  reader.finish();
  return parts;
}

NetworkParts read_network_parts(const std::filesystem::path& file) {
  return parse_network_parts(read_input_text(file), file);
}

Dollars Bill::price() const {
  Dollars sum;
  for (const BillLine& line : lines) sum += line.price();
  return sum;
}

Watts Bill::power() const {
  Watts sum;
  for (const BillLine& line : lines) sum += line.power();
  return sum;
}

PricedPart Bill::nodes_alone() const {
  PricedPart sum;
  for (const BillLine& line : lines) {
    if (line.part != kNode) continue;
    sum.price += line.price();
    sum.power += line.power();
  }
  return sum;
}

Cluster bought_with_nics(Cluster cluster, Bandwidth nics) {
  Network& network = cluster.network;
  if (network.uplink_bandwidth == network.nic_bandwidth) network.uplink_bandwidth = nics;
  network.nic_bandwidth = nics;
  return cluster;
}

Bill bill_of(const Cluster& cluster, const NetworkParts& parts) {
  if (cluster.network.fabric->parts == nullptr) {
    throw InputError(fmt::format("network.fabric: {} has no bill of materials; choose another one",
                                 cluster.network.fabric->name));
  }
  if (cluster.network.link_bandwidth > kMostAtOnce * cluster.network.nic_bandwidth) {
    throw InputError(
        fmt::format("network.link_bandwidth: {} is more than {:.0f} cables of a NIC, {}, "
                    "carry; write less",
                    to_text(cluster.network.link_bandwidth), kMostAtOnce,
                    to_text(cluster.network.nic_bandwidth)));
  }
  try {
    return bill_with(cluster, parts);
  } catch (const InputError& error) {  // of switches that do not suffice
    throw InputError(fmt::format("{}: {}", parts.file.string(), error.what()));
  }
}

}  // namespace sim
