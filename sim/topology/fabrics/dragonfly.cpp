// SPDX-License-Identifier: Apache-2.0
// Dragonfly (Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology",
// ISCA 2008): groups of routers, each with its nodes. The routers of a group are joined all to all,
// and every two groups by as many global links as their ports allow, dealt to the routers in turn.
//
//   minimal way          router ─► router with a global link ─► router of the other group ─► router
//   by way of a third    the same to a router of the third group, and on from there; in a dragonfly
//                        of one group, router ─► third router ─► router
#include <array>

#include "sim/topology/fabrics/routers.hpp"
#include "sim/topology/fabrics/trees.hpp"

namespace sim::fabrics {
namespace {

constexpr std::array<std::string_view, 10> kDragonflyKeys{
    "nodes_per_router", "routers_per_group", "groups",       "global_links", "routing",
    "link_bandwidth",   "switch_latency",    "load_balance", "queue_pairs",  "ecmp_seed"};

// Global links of a group are numbered by rounds, in each of which it has one to every other group,
// beginning with the next one. Router r has those numbered r, r + a, r + 2 a, ... of a routers.
struct Shape {
  int routers = 0;  // of a group
  int groups = 0;
  int others = 0;  // groups - 1
  int rounds = 0;  // links between every two groups

  explicit Shape(const Network& network)
      : routers(network.routers_per_group), groups(network.groups), others(groups - 1) {
    if (others > 0) rounds = routers * network.global_links / others;
  }
  // Of the router `to` among the edges of the router `from`, both of one group.
  [[nodiscard]] std::size_t local_edge(int from, int to) const {
    return static_cast<std::size_t>((to - from - 1 + routers) % routers);
  }
  // Of that global link among the edges of its router.
  [[nodiscard]] std::size_t global_edge(int link) const {
    return static_cast<std::size_t>(routers - 1 + link / routers);
  }
  // How many groups after `from`, less one.
  [[nodiscard]] int offset(int from, int to) const { return (to - from - 1 + groups) % groups; }
};

void join_groups(const Shape& shape, std::span<const VertexId> routers, LinkId first,
                 Graph& graph) {
  const auto router = [&](int group, int link) {
    return routers[static_cast<std::size_t>(group * shape.routers + link % shape.routers)];
  };
  for (int group = 0; group < shape.groups; ++group) {
    for (int link = 0; link < shape.rounds * shape.others; ++link) {
      const int offset = link % shape.others;
      const int there = (group + 1 + offset) % shape.groups;
      const int back = link - offset + shape.offset(there, group);
      graph.join(router(group, link), router(there, back), first++);
    }
  }
}

void build_dragonfly(const Network& network, Bandwidth nic_rate, std::span<const VertexId> nics,
                     Graph& graph) {
  const Shape shape(network);
  const int count = shape.groups * shape.routers;
  const std::vector<VertexId> routers = graph.add_vertices(count);
  attach_in_order(nics, routers, network.nodes_per_router * network.nics_per_node,
                  add_nic_ports(nic_rate, nics, graph), graph);
  const auto add = [&](const char* kind, int links) {
    return graph.add_links(kind, "network.link_bandwidth", links, link_rate(network, nic_rate));
  };
  LinkId local = add("dragonfly_local", count * (shape.routers - 1));
  for (int router = 0; router < count; ++router) {
    const int group = router - router % shape.routers;
    for (int next = 1; next < shape.routers; ++next) {
      const int to = group + (router + next) % shape.routers;
      graph.join(routers[static_cast<std::size_t>(router)], routers[static_cast<std::size_t>(to)],
                 local++);
    }
  }
  join_groups(shape, routers, add("dragonfly_global", shape.groups * shape.rounds * shape.others),
              graph);
}

// A message on its way, at a router.
class Walk {
 public:
  Walk(const Graph& graph, const Shape& shape, VertexId router, Way& way)
      : graph_(graph), shape_(shape), router_(router), way_(way) {
    ++way_.switches;
  }

  [[nodiscard]] int group() const { return number() / shape_.routers; }
  [[nodiscard]] int place() const { return number() % shape_.routers; }  // in its group

  void go_to_place(int place) {
    if (place == this->place()) return;
    router_ = append_edge(graph_, router_, shape_.local_edge(this->place(), place), way_);
  }
  // Over the global link of that round.
  void go_to_group(int group, int round) {
    const int link = round * shape_.others + shape_.offset(this->group(), group);
    go_to_place(link % shape_.routers);
    router_ = append_edge(graph_, router_, shape_.global_edge(link), way_);
  }

 private:
  [[nodiscard]] int number() const { return graph_.vertex(router_).number; }

  const Graph& graph_;
  const Shape& shape_;
  VertexId router_;
  Way& way_;
};

// Valiant's random group, or router of a group, is one in turn here, by the place of the sending NIC
// in its group: what many NICs send to another one of `count` spreads evenly over all others, as many
// packets would.
int third(int count, int sender, int from, int to) {
  const int offset = (to - from - 1 + count) % count;
  // Once the offset, or not at all, would begin all ways over a link, or end them, alike.
  const int turn = (sender + 2 * offset) % (count - 2);
  return (from + 1 + (turn < offset ? turn : turn + 1)) % count;
}

void append_dragonfly_way(const Network& network, const Graph& graph, const NicPair& nics,
                          Way& way) {
  const Shape shape(network);
  const Vertex& near = graph.vertex(nics.from);
  const Vertex& far = graph.vertex(nics.to);
  way.links.push_back(near.up);
  Walk walk(graph, shape, near.above, way);
  const int router = graph.vertex(far.above).number;
  const int group = router / shape.routers;
  const int place = router % shape.routers;
  // Places in their groups: of the sending NIC, and of the receiving node.
  const int in_group = shape.routers * network.nodes_per_router * network.nics_per_node;
  const int sender = near.number % in_group;
  if (walk.group() != group) {
    const int receiver = far.number % in_group / network.nics_per_node;
    const int round = network.load_balance == LoadBalance::ecmp
                          ? static_cast<int>(nics.hash % static_cast<unsigned>(shape.rounds))
                          : (sender + receiver) % shape.rounds;  // all in turn
    if (nics.detours && shape.groups > 2) {
      walk.go_to_group(third(shape.groups, sender, walk.group(), group), round);
    }
    walk.go_to_group(group, round);
  } else if (nics.detours && shape.groups == 1 && walk.place() != place && shape.routers > 2) {
    walk.go_to_place(third(shape.routers, sender, walk.place(), place));
  }
  walk.go_to_place(place);
  way.links.push_back(far.down);
}

std::vector<int> routers_and_groups(const Network& network) {
  return {network.nodes_per_router, network.nodes_per_router * network.routers_per_group};
}

// Of the whole fabric: its shape does not depend on the cluster's nodes.
FabricParts parts_of_dragonfly(const Network& network, const FabricSize& size) {
  const Shape shape(network);
  const std::int64_t routers = static_cast<std::int64_t>(shape.groups) * shape.routers;
  const std::int64_t per_link = cables_per_link(network);
  const std::int64_t below = network.nodes_per_router * network.nics_per_node;
  require_ports(size, below + per_link * (shape.routers - 1 + network.global_links),
                "a router of the dragonfly");
  const std::int64_t global =
      static_cast<std::int64_t>(shape.groups) * shape.rounds * shape.others / 2;
  FabricParts parts{.switches = {{"router", routers}}, .nodes = routers * network.nodes_per_router};
  const auto add = [&](const char* name, std::int64_t cables, int ends, std::int64_t nodes) {
    parts.cables.push_back({.name = name,
                            .cables = cables,
                            .at_switches = {{ends * cables, routers}},
                            .nodes = nodes});
  };
  add("NIC to router", parts.nodes * network.nics_per_node, 1, network.nodes_per_router);
  add("inside groups", per_link * routers * (shape.routers - 1) / 2, 2,
      static_cast<std::int64_t>(network.nodes_per_router) * shape.routers);
  add("between groups", per_link * global, 2, parts.nodes);
  return parts;
}

}  // namespace

constinit const NetworkFabric dragonfly{.name = "dragonfly",
                                        .keys = kDragonflyKeys,
                                        .build = build_dragonfly,
                                        .append_way = append_dragonfly_way,
                                        .units = routers_and_groups,
                                        .parts = parts_of_dragonfly};

}  // namespace sim::fabrics
