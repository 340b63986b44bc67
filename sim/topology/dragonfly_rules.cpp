// SPDX-License-Identifier: Apache-2.0
// A dragonfly's counts: what is usual, and the rules that they obey.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "sim/topology/cluster_fields.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

constexpr auto kMostLinks = static_cast<int>(kPorts.highest);
constexpr int kMostRouters = 65'536;

int rounded_up(std::int64_t dividend, std::int64_t divisor) {
  return static_cast<int>((dividend + divisor - 1) / divisor);
}

std::int64_t nodes_of_group(const Network& network) {
  return std::int64_t{1} * network.nodes_per_router * network.routers_per_group;
}

int filled_groups(const Cluster& cluster) {
  return rounded_up(cluster.nodes, nodes_of_group(cluster.network));
}

int groups_of(const Cluster& cluster) {
  return cluster.network.groups != 0 ? cluster.network.groups : filled_groups(cluster);
}

// Of each router, that join all groups.
int needed_links(const Cluster& cluster) {
  return std::max(1, rounded_up(groups_of(cluster) - 1, cluster.network.routers_per_group));
}

std::string too_few_groups(const Cluster& cluster) {
  const int groups = cluster.network.groups, filled = filled_groups(cluster);
  if (groups >= filled) return {};
  return fmt::format(
      "{} of {} nodes are too few for {} nodes; write at least {}, or remove the key", groups,
      nodes_of_group(cluster.network), cluster.nodes, filled);
}

std::string too_many_routers(const Cluster& cluster) {
  const Network& network = cluster.network;
  const std::int64_t routers = std::int64_t{1} * network.groups * network.routers_per_group;
  if (routers <= kMostRouters) return {};
  return fmt::format("has {} routers; write at most {}, which is {} routers", routers,
                     kMostRouters / network.routers_per_group, kMostRouters);
}

std::string cannot_join_groups(const Cluster& cluster) {
  if (needed_links(cluster) <= kMostLinks) return {};
  const int groups = groups_of(cluster);
  return fmt::format(
      "{} cannot join {} groups with at most {} global links each; write at least {}",
      cluster.network.routers_per_group, groups, kMostLinks, rounded_up(groups - 1, kMostLinks));
}

std::string too_few_links(const Cluster& cluster) {
  const auto [links, routers] =
      std::pair(cluster.network.global_links, cluster.network.routers_per_group);
  const int least = needed_links(cluster);
  if (links >= least || least > kMostLinks) return {};
  return fmt::format(
      "{} on each of {} routers join a group to {} others, not to {}; write at least {}", links,
      routers, links * routers, groups_of(cluster) - 1, least);
}

constexpr Rule<Cluster> dragonfly_rule(std::string_view key, std::string_view other,
                                       std::string (*broken)(const Cluster&)) {
  return {key,
          {other, "network.fabric", "cluster.nodes", "network.nics_per_node",
           "network.nodes_per_router", "network.routers_per_group"},
          broken};
}

constexpr Rule<Cluster> kDragonflyRules[] = {
    dragonfly_rule("network.groups", {}, too_few_groups),
    dragonfly_rule("network.groups", {}, too_many_routers),
    dragonfly_rule("network.routers_per_group", "network.groups", cannot_join_groups),
    dragonfly_rule("network.global_links", "network.groups", too_few_links),
};

}  // namespace

// Links are by default as many as a router has NICs, which balances the load of
// all pairs (Kim et al., ISCA 2008, section 3.1: a = 2p = 2h), or more if all
// groups could not be joined otherwise.
void fill_dragonfly(Cluster& cluster) {
  Network& network = cluster.network;
  if (!network.fabric->takes("groups")) return;
  network.groups = groups_of(cluster);
  if (network.global_links != 0) return;
  const int balanced = std::min(network.nodes_per_router * network.nics_per_node, kMostLinks);
  network.global_links = std::max(needed_links(cluster), balanced);
}

std::span<const Rule<Cluster>> dragonfly_rules() { return kDragonflyRules; }

}  // namespace sim
