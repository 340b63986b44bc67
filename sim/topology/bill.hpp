// SPDX-License-Identifier: Apache-2.0
// Bill of materials of a cluster: the switches, transceivers and cables of its network, and its nodes where they have a
// price, with the prices and watts of a file that the user edits.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/toml_keys.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

struct PricedPart {
  Dollars price;
  Watts power;
};

// A file of parts.
struct NetworkParts {
  std::string name;                 // the file's stem
  std::filesystem::path file = {};  // for messages
  int ports = 0;                    // of a switch
  Bandwidth port_bandwidth;
  PricedPart network_switch;  // without what is plugged into it
  PricedPart transceiver;     // at each end of an optical cable
  PricedPart fiber, copper;   // a cable without transceivers, or with its plugs
  int nodes_per_rack = 0;     // inside which cables are of copper
  // A node with its GPUs and NICs; absent: not counted.
  std::optional<PricedPart> node = {};
  double years = 4;  // of use, whose power is paid for
};

[[nodiscard]] std::span<const TomlKey> network_parts_keys();
// Throws an InputError that reports every wrong, missing and unknown key.
[[nodiscard]] NetworkParts read_network_parts(const std::filesystem::path& file);
[[nodiscard]] NetworkParts parse_network_parts(std::string_view text,
                                               const std::filesystem::path& file);

struct BillLine {
  std::string part;   // "node", "switch", "transceiver", "optical cable" or "copper cable"
  std::string place;  // "leaf", or "NIC to leaf"; of nodes, none
  std::int64_t count = 0;
  PricedPart each;

  [[nodiscard]] Dollars price() const { return each.price * static_cast<double>(count); }
  [[nodiscard]] Watts power() const { return each.power * static_cast<double>(count); }
};

struct Bill {
  std::vector<BillLine> lines;
  int radix = 0;                           // cables of the NICs' bandwidth that fit a switch
  std::int64_t ports = 0, ports_used = 0;  // of all switches
  std::int64_t nodes = 0;                  // that the network joins: a whole dragonfly's or torus's
  [[nodiscard]] Dollars price() const;
  [[nodiscard]] Watts power() const;
  [[nodiscard]] PricedPart nodes_alone()
      const;  // price and power of all nodes; of the rest, it is the network's
};

// Of the cluster's nodes, if the parts have a price of them, and the whole network, with no part shared: that of a
// dragonfly or torus joins all nodes of its shape, even if the cluster has fewer. One node needs no network. NVLink
// belongs to the nodes. Throws InputError where the switches do not suffice for the fabric.
[[nodiscard]] Bill bill_of(const Cluster& cluster, const NetworkParts& parts);

// The cluster as it is bought with other NICs: uplinks are as fast as NICs, unless it says otherwise.
[[nodiscard]] Cluster bought_with_nics(Cluster cluster, Bandwidth nics);

}  // namespace sim
