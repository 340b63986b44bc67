// SPDX-License-Identifier: Apache-2.0
#include "sim/topology/fabric_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

constexpr IntegerRange kFabricNodes{.lowest = 1, .highest = 65'536};
constexpr NumberRange kOversubscription{.lowest = 1, .highest = 1'000};

// Whether the fabric has the key; a key that it does not have is an error.
bool fabric_takes(TomlReader& reader, const Network& network, const char* key) {
  constexpr std::string_view kTable = "network.";
  return reader.applies(key, "network.fabric",
                        network.fabric->takes(std::string_view(key).substr(kTable.size())));
}

void read_leaves(TomlReader& reader, Network& network) {
  if (fabric_takes(reader, network, "network.oversubscription")) {
    network.oversubscription = reader.number("network.oversubscription", kOversubscription);
  }
  if (!fabric_takes(reader, network, "network.nodes_per_leaf")) return;
  network.nodes_per_leaf = static_cast<int>(reader.integer("network.nodes_per_leaf", kFabricNodes));
}

void read_pods(TomlReader& reader, Network& network) {
  if (fabric_takes(reader, network, "network.pod_oversubscription")) {
    network.pod_oversubscription = reader.number("network.pod_oversubscription", kOversubscription);
  }
  if (!fabric_takes(reader, network, "network.leaves_per_pod")) return;
  network.leaves_per_pod = static_cast<int>(reader.integer("network.leaves_per_pod", kFabricNodes));
}

// Of a link between routers: by default as a NIC's.
void read_links(TomlReader& reader, Network& network) {
  network.link_bandwidth = network.nic_bandwidth;
  if (fabric_takes(reader, network, "network.link_bandwidth") &&
      reader.has("network.link_bandwidth")) {
    network.link_bandwidth = reader.quantity<Bandwidth>("network.link_bandwidth");
  }
}

constexpr EnumName<LoadBalance> kLoadBalances[] = {{"ideal", LoadBalance::ideal},
                                                   {"ecmp", LoadBalance::ecmp},
                                                   {"adaptive", LoadBalance::adaptive}};

constexpr const char* kLoadBalance = "network.load_balance";

// Whether to read the key, which goes with one way of spreading messages; with another one it is an
// error.
bool balance_takes(TomlReader& reader, const Network& network, const char* key,
                   LoadBalance balance) {
  if (!fabric_takes(reader, network, key) || !reader.has(key)) return false;
  const bool known = !reader.has(kLoadBalance) || reader.is_good(kLoadBalance);
  if (!known || network.load_balance == balance) return true;
  reader.wrong(key, fmt::format("applies only with load_balance = \"{}\"; write that, or remove "
                                "the key",
                                name_of(balance, kLoadBalances)));
  return false;
}

void read_load_balance(TomlReader& reader, Network& network) {
  constexpr IntegerRange kQueuePairs{.lowest = 1, .highest = 128};
  constexpr IntegerRange kSeeds{.lowest = 0};
  constexpr const char* kEfficiency = "network.uplink_efficiency";
  if (fabric_takes(reader, network, kLoadBalance) && reader.has(kLoadBalance)) {
    network.load_balance = reader.one_of<LoadBalance>(kLoadBalance, kLoadBalances);
  }
  const auto takes = [&](const char* key) {
    return balance_takes(reader, network, key, LoadBalance::ecmp);
  };
  network.uplink_bandwidth = network.nic_bandwidth;
  if (takes("network.uplink_bandwidth")) {
    network.uplink_bandwidth = reader.quantity<Bandwidth>("network.uplink_bandwidth");
  }
  if (takes("network.queue_pairs")) {
    network.queue_pairs = static_cast<int>(reader.integer("network.queue_pairs", kQueuePairs));
  }
  if (takes("network.ecmp_seed")) {
    network.ecmp_seed = static_cast<std::uint64_t>(reader.integer("network.ecmp_seed", kSeeds));
  }
  const bool sprays = network.load_balance == LoadBalance::adaptive;
  if (sprays && !network.fabric->takes("uplink_efficiency")) {
    reader.wrong(kLoadBalance,
                 fmt::format("adaptive is not modelled on {}, whose network.routing adapts; "
                             "write \"ideal\" or \"ecmp\"",
                             network.fabric->name));
  } else if (sprays || balance_takes(reader, network, kEfficiency, LoadBalance::adaptive)) {
    network.uplink_efficiency = reader.number(kEfficiency, kShare);
  }
}

// Each uplink is a link of the simulation.
void check_uplinks(TomlReader& reader, int nodes, const Network& network) {
  constexpr double kMost = 1 << 20;  // as all 65 536 nodes have with 16 each
  if (network.load_balance != LoadBalance::ecmp) return;
  const double filled = 1.0 * network.nodes_per_leaf * std::max(1, network.leaves_per_pod);
  const double nics =
      std::max<double>(nodes, filled) * network.nics_per_node / network.oversubscription;
  const double uplinks = nics * (network.nic_bandwidth / network.uplink_bandwidth);
  if (uplinks <= kMost) return;
  constexpr const char* kRate = "network.uplink_bandwidth";
  const std::string remedy = nics <= kMost
                                 ? fmt::format("write a {} of at least {}", kRate,
                                               to_text(network.nic_bandwidth * (nics / kMost)))
                                 : std::string("write smaller leaves or pods");
  reader.wrong(reader.is_good(kRate) ? kRate : kLoadBalance,
               fmt::format("takes {:.3g} uplinks, but a simulation holds {:.0f}; {}", uplinks,
                           kMost, remedy));
}

void read_torus(TomlReader& reader, int nodes, Network& network) {
  if (!fabric_takes(reader, network, "network.dimensions")) return;
  std::int64_t product = 1;
  for (const std::int64_t size : reader.integers("network.dimensions", kFabricNodes)) {
    network.dimensions.push_back(static_cast<int>(size));
    product = std::min(product * size, kFabricNodes.highest + 1);
  }
  if (reader.is_good("network.dimensions") && reader.is_good("cluster.nodes") && product != nodes) {
    reader.wrong("network.dimensions",
                 fmt::format("[{}] is not a torus of {} nodes; write numbers whose product is {}",
                             joined(network.dimensions), nodes, nodes));
  }
}

constexpr EnumName<Routing> kRoutings[] = {
    {"minimal", Routing::minimal}, {"valiant", Routing::valiant}, {"adaptive", Routing::adaptive}};

// Far above any switch: so many routers and links of a router.
constexpr IntegerRange kPorts{.lowest = 1, .highest = 256};

// The key's value; without the key, or with a fabric that it does not go with, the default.
int read_optional_count(TomlReader& reader, const Network& network, const char* key,
                        const IntegerRange& range, int usual) {
  if (!fabric_takes(reader, network, key) || !reader.has(key)) return usual;
  return static_cast<int>(reader.integer(key, range));
}

int rounded_up(int dividend, int divisor) { return (dividend + divisor - 1) / divisor; }

void read_groups(TomlReader& reader, int nodes, Network& network) {
  const std::int64_t in_group =
      std::int64_t{1} * network.nodes_per_router * network.routers_per_group;
  const auto filled = static_cast<int>((nodes + in_group - 1) / in_group);
  network.groups = read_optional_count(reader, network, "network.groups", kFabricNodes, filled);
  if (reader.is_good("network.groups") && network.groups < filled) {
    reader.wrong("network.groups", fmt::format("{} of {} nodes are too few for {} nodes; write at "
                                               "least {}, or remove the key",
                                               network.groups, in_group, nodes, filled));
  }
  const std::int64_t routers = std::int64_t{1} * network.groups * network.routers_per_group;
  if (reader.is_good("network.groups") && routers > kFabricNodes.highest) {
    reader.wrong(
        "network.groups",
        fmt::format("has {} routers; write at most {}, which is {} routers", routers,
                    kFabricNodes.highest / network.routers_per_group, kFabricNodes.highest));
  }
}

// By default as many as a router has NICs, which balances the load of all pairs (Kim et al., ISCA
// 2008, section 3.1: a = 2p = 2h), or more if all groups could not be joined otherwise.
void read_global_links(TomlReader& reader, Network& network) {
  constexpr auto kMost = static_cast<int>(kPorts.highest);
  const int needed = std::max(1, rounded_up(network.groups - 1, network.routers_per_group));
  const bool groups_are_good = !reader.has("network.groups") || reader.is_good("network.groups");
  if (groups_are_good && needed > kMost) {
    reader.wrong("network.routers_per_group",
                 fmt::format("{} cannot join {} groups with at most {} global links each; write at "
                             "least {}",
                             network.routers_per_group, network.groups, kMost,
                             rounded_up(network.groups - 1, kMost)));
  }
  const int balanced = std::min(network.nodes_per_router * network.nics_per_node, kMost);
  network.global_links = read_optional_count(reader, network, "network.global_links", kPorts,
                                             std::max(needed, balanced));
  if (needed <= kMost && reader.is_good("network.global_links") && network.global_links < needed) {
    reader.wrong(
        "network.global_links",
        fmt::format("{} on each of {} routers join a group to {} others, not to {}; write "
                    "at least {}",
                    network.global_links, network.routers_per_group,
                    network.global_links * network.routers_per_group, network.groups - 1, needed));
  }
}

void read_dragonfly(TomlReader& reader, int nodes, Network& network) {
  const auto count = [&](const char* key, const IntegerRange& range) {
    if (!fabric_takes(reader, network, key)) return 0;
    return static_cast<int>(reader.integer(key, range));
  };
  network.nodes_per_router = count("network.nodes_per_router", kPorts);
  network.routers_per_group = count("network.routers_per_group", kPorts);
  const bool known = reader.is_good("network.nodes_per_router") &&
                     reader.is_good("network.routers_per_group") &&
                     reader.is_good("network.nics_per_node") && reader.is_good("cluster.nodes");
  if (known && network.fabric->takes("groups")) {
    read_groups(reader, nodes, network);
    read_global_links(reader, network);
  } else {
    static_cast<void>(read_optional_count(reader, network, "network.groups", kFabricNodes, 0));
    static_cast<void>(read_optional_count(reader, network, "network.global_links", kPorts, 0));
  }
  if (fabric_takes(reader, network, "network.routing")) {
    network.routing = reader.has("network.routing")
                          ? reader.one_of<Routing>("network.routing", kRoutings)
                          : Routing::adaptive;
  }
}

}  // namespace

void read_far_gpus(TomlReader& reader, int gpus, Network& network) {
  const bool given = reader.has("network.far_gpus") || reader.has("network.far_bandwidth");
  if (!given) return;
  const IntegerRange of_node{.lowest = 0, .highest = gpus - 1};
  for (const std::int64_t gpu : reader.integers("network.far_gpus", of_node)) {
    network.far_gpus.push_back(static_cast<int>(gpu));
  }
  network.far_bandwidth = reader.quantity<Bandwidth>("network.far_bandwidth");
}

void read_fabric(TomlReader& reader, int nodes, Network& network) {
  if (fabric_takes(reader, network, "network.switch_latency")) {
    network.switch_latency = reader.quantity<Seconds>("network.switch_latency", Zero::allowed);
  }
  read_leaves(reader, network);
  read_pods(reader, network);
  read_load_balance(reader, network);
  check_uplinks(reader, nodes, network);
  read_torus(reader, nodes, network);
  read_dragonfly(reader, nodes, network);
  read_links(reader, network);
}

}  // namespace sim
