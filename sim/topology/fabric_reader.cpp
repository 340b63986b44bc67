// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabric_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

constexpr NumberRange kOversubscription{.lowest = 1, .highest = 1'000};

// `whole` is filled by parts of `part`, or lies in one of them: a half-used last leaf among full
// ones would make ranks unequal, which no fabric here models.
void check_parts(TomlReader& reader, std::string_view key, int part, int whole,
                 std::string_view noun) {
  if (reader.is_good(key) && part < whole && whole % part != 0) {
    reader.wrong(key, fmt::format("{} does not divide the {} {}; write a divisor, or at least {}",
                                  part, whole, noun, whole));
  }
}

// Whether the fabric has the key; a key that it does not have is an error.
bool fabric_takes(TomlReader& reader, const Network& network, const char* key) {
  constexpr std::string_view kTable = "network.";
  return reader.applies(key, "network.fabric",
                        network.fabric->takes(std::string_view(key).substr(kTable.size())));
}

void read_leaves(TomlReader& reader, int nodes, Network& network) {
  if (fabric_takes(reader, network, "network.oversubscription")) {
    network.oversubscription = reader.number("network.oversubscription", kOversubscription);
  }
  if (!fabric_takes(reader, network, "network.nodes_per_leaf")) return;
  network.nodes_per_leaf = static_cast<int>(reader.integer("network.nodes_per_leaf", kNodes));
  if (reader.is_good("cluster.nodes")) {
    check_parts(reader, "network.nodes_per_leaf", network.nodes_per_leaf, nodes, "nodes");
  }
}

void read_pods(TomlReader& reader, int nodes, Network& network) {
  if (fabric_takes(reader, network, "network.pod_oversubscription")) {
    network.pod_oversubscription = reader.number("network.pod_oversubscription", kOversubscription);
  }
  if (!fabric_takes(reader, network, "network.leaves_per_pod")) return;
  network.leaves_per_pod = static_cast<int>(reader.integer("network.leaves_per_pod", kNodes));
  if (reader.is_good("network.nodes_per_leaf") && reader.is_good("cluster.nodes")) {
    const int leaves = (nodes + network.nodes_per_leaf - 1) / network.nodes_per_leaf;
    check_parts(reader, "network.leaves_per_pod", network.leaves_per_pod, leaves, "leaves");
  }
}

// Of a link between routers: by default as a NIC's.
void read_links(TomlReader& reader, Network& network) {
  network.link_bandwidth = network.nic_bandwidth;
  if (fabric_takes(reader, network, "network.link_bandwidth") &&
      reader.has("network.link_bandwidth")) {
    network.link_bandwidth = reader.quantity<Bandwidth>("network.link_bandwidth");
  }
}

void read_torus(TomlReader& reader, int nodes, Network& network) {
  if (!fabric_takes(reader, network, "network.dimensions")) return;
  std::int64_t joined = 1;
  for (const std::int64_t size : reader.integers("network.dimensions", kNodes)) {
    network.dimensions.push_back(static_cast<int>(size));
    joined = std::min(joined * size, kNodes.highest + 1);
  }
  if (reader.is_good("network.dimensions") && reader.is_good("cluster.nodes") && joined != nodes) {
    reader.wrong("network.dimensions",
                 fmt::format("{} is not a torus of {} nodes; write numbers whose product is {}",
                             network.dimensions, nodes, nodes));
  }
}

}  // namespace

void read_fabric(TomlReader& reader, int nodes, Network& network) {
  if (fabric_takes(reader, network, "network.switch_latency")) {
    network.switch_latency = reader.quantity<Seconds>("network.switch_latency", Zero::allowed);
  }
  read_leaves(reader, nodes, network);
  read_pods(reader, nodes, network);
  read_torus(reader, nodes, network);
  read_links(reader, network);
}

}  // namespace sim
