// SPDX-License-Identifier: Apache-2.0
// A fabric that nothing else knows: nodes with one NIC each in a circle, as a torus of one
// dimension. What schedules, wiring and engine need of it is its row.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/topology/fabrics.hpp"
#include "tests/schedule/collective_rows.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

// Links to the next NIC, then links to the one before.
void build_circle(const Network&, Bandwidth nic_rate, std::span<const VertexId> nics,
                  Graph& graph) {
  const auto count = static_cast<int>(nics.size());
  const LinkId next = graph.add_links("next", "network.nic_bandwidth", count, nic_rate);
  const LinkId before = graph.add_links("before", "network.nic_bandwidth", count, nic_rate);
  for (LinkId i = 0; i < nics.size(); ++i) {
    const LinkId after = (i + 1) % static_cast<LinkId>(count);
    graph.join(nics[i], nics[after], next + i);
    graph.join(nics[after], nics[i], before + i);
  }
}

// The vertices from one to another that starts over its edge `side` and never turns back.
std::vector<VertexId> walk(const Graph& graph, VertexId from, VertexId to, std::size_t side) {
  std::vector<VertexId> passed{from, graph.edges(from)[side].to};
  while (passed.back() != to) {
    const auto edges = graph.edges(passed.back());
    const bool back = edges[0].to == passed[passed.size() - 2];
    passed.push_back(edges[back ? 1 : 0].to);
  }
  return passed;
}

// The shorter way round.
void append_circle_way(const Network&, const Graph& graph, const NicPair& nics, Way& way) {
  const VertexId from = nics.from;
  const VertexId to = nics.to;
  auto passed = walk(graph, from, to, 0);
  if (auto other = walk(graph, from, to, 1); other.size() < passed.size()) passed = other;
  for (std::size_t i = 0; i + 1 < passed.size(); ++i) {
    append_direct_way(graph, passed[i], passed[i + 1], way);
  }
  way.switches += static_cast<int>(passed.size()) - 2;
}

constexpr NetworkFabric kCircle{
    .name = "circle", .build = build_circle, .append_way = append_circle_way};

Cluster on(const NetworkFabric& fabric) {
  return sample_cluster({.nodes = 6, .gpus = 1, .nics = 1, .fabric = &fabric});
}

TEST(ToyFabric, HasALatencyForEachNicThatAMessagePasses) {
  const Topology topology(on(kCircle));
  const Network& network = topology.cluster().network;
  for (int to = 1; to < 6; ++to) {
    const std::vector<Hop> path = topology.path(0, to);
    ASSERT_EQ(path.size(), 1U);
    const int links = std::min(to, 6 - to);
    EXPECT_EQ(topology.way(path.front()).links.size(), static_cast<std::size_t>(links));
    const int further = std::max(0, links - 2);
    EXPECT_EQ(topology.latency(path.front()), network.latency + network.switch_latency * further);
  }
}

TEST(ToyFabric, CarriesARingAsASwitchDoesAndAllPairsSlower) {
  // All pairs of 6: each link carries 1 + 2 + 3/2 of the ways of 1, 2 and 3 links, not 1.
  constexpr double kBytes = 6e9;
  const auto seconds = [&](const char* name, const NetworkFabric& fabric, Detail detail) {
    const Cluster cluster = without_fixed_times(on(fabric));
    return simulate(
               schedule_of(collective_named(name), cluster, all_ranks(cluster), kBytes, detail),
               cluster)
        .makespan_s;
  };
  for (const Detail detail : kDetails) {
    const double ring = seconds("all_gather", kCircle, detail);
    EXPECT_NEAR(ring, kBytes * 5 / 6 / 50e9, 1e-9);
    EXPECT_NEAR(seconds("all_gather", fabrics::single_switch, detail), ring, 1e-9);
    EXPECT_GT(seconds("all_to_all", kCircle, detail), kBytes / 6 * 4.5 / 50e9 - 1e-9);
  }
}

TEST(ToyFabric, RunsAStep) {
  const auto step = [](const NetworkFabric& fabric) {
    return step_time(on(fabric), deep_model(), {}, scheme_named("tlq"));
  };
  EXPECT_GT(step(kCircle), step(fabrics::single_switch));
}

}  // namespace
}  // namespace sim
