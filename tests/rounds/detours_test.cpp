// SPDX-License-Identifier: Apache-2.0
// Dead links between sites: others pass their traffic on.
#include "sim/sites/detours.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sim/sites/ring_order.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

constexpr double kGiga = 1e9;

WideLink& path_named(WideArea& area, const std::string& name) {
  return *std::ranges::find(area.links, name, &WideLink::name);
}

WideArea with_dead(WideArea area, const std::string& name) {
  path_named(area, name).dead = true;
  return area;
}

// Links of 10 GB/s and 1 ms.
WideArea even_sites(int count) {
  WideArea area = sites_with_links(count, [](int, int) { return 10.0; });
  for (WideLink& link : area.links) link.latency = 1_ms;
  return area;
}

double time_of_round(const WideArea& area, const RoundShape& shape) {
  return simulate_round(area, shape).round_s;
}

// Bytes that leave a site.
double sent_by(const RoundResult& result, int place) {
  double bytes = 0;
  for (const Operation& operation : result.plan.schedule.operations) {
    if (operation.kind != OperationKind::flow) continue;
    for (const Hop& hop : result.plan.schedule.routes[operation.route].hops) {
      if (hop.source == place) bytes += operation.bytes * hop.times;
    }
  }
  return bytes;
}

// b and c exchange 20 GB by way of a, whose links carry 10 and 4 GB/s: pipelined, at the slower rate,
// after both latencies. In the two other pairings a meets one of them.
TEST(Detours, TakeTheSlowerOfTheirHops) {
  WideArea area = sites_with_links(3, [](int, int j) { return j == 1 ? 10.0 : 4.0; });
  path_named(area, "ab").latency = 20_ms;
  path_named(area, "ac").latency = 30_ms;
  area = with_dead(std::move(area), "bc");
  RoundShape shape = equal_rounds(&exchanges::pair, 3, 10, 20 * kGiga);
  shape.rounds = 3;
  const RoundResult result = simulate_round(area, shape);
  const double to_b = 10 + 0.02 + 20.0 / 10, to_c = 10 + 0.03 + 20.0 / 4;
  EXPECT_NEAR(result.round_s, (to_b + to_c + 10 + 0.05 + 20.0 / 4) / 3, 1e-6);
  // Without a partner, a sends what it passes on, which its own line has to carry.
  EXPECT_EQ(sent_by(result, 0), (1 + 1 + 2) * 20 * kGiga);
  area.sites[0].uplink = Bandwidth::from_base(5 * kGiga);
  EXPECT_NEAR(time_of_round(area, shape), (to_b + 2 + to_c + 10 + 0.05 + 2 * 20.0 / 5) / 3, 1e-6);
}

// Around three sites each pair is a hop: c passes on that from a to b, beside its own, so each of its
// lines carries two thirds of 12 GB four times instead of twice.
TEST(Detours, OfARingLoadTheLinesOfTheRelay) {
  WideArea area = sites_with_links(3, [](int, int) { return 1e6; });
  for (Site& site : area.sites) site.uplink = site.downlink = Bandwidth::from_base(2 * kGiga);
  for (WideLink& link : area.links) link.latency = 30_ms;
  for (const Exchange* exchange : {&exchanges::ring, &exchanges::quantized_ring}) {
    const RoundShape shape = equal_rounds(exchange, 3, 10, 12 * kGiga);
    EXPECT_NEAR(time_of_round(area, shape), 10 + 4 * (0.03 + 4.0 / 2), 1e-6);
    // Four hops instead of three in each of the steps.
    EXPECT_NEAR(time_of_round(with_dead(area, "ab"), shape), 10 + 4 * (0.03 * 4 / 3 + 2 * 4.0 / 2),
                1e-6);
  }
}

TEST(Detours, GoByWayOfTheFastestSites) {
  const std::vector<int> all{0, 1, 2, 3, 4};
  using Relays = std::vector<int>;
  const auto relays = [&](const WideArea& area) {
    const auto hops = hops_of(WideTopology(area), wide_hop(0, 1), all);
    EXPECT_EQ(hops.front().source, 0);
    EXPECT_EQ(hops.back().destination, 1);
    Relays relays;
    for (std::size_t i = 1; i < hops.size(); ++i) {
      EXPECT_EQ(hops[i].source, hops[i - 1].destination);
      relays.push_back(hops[i].source);
    }
    return relays;
  };
  WideArea area = with_dead(even_sites(5), "ab");
  EXPECT_EQ(relays(area), Relays{2}) << "the first of equals";
  path_named(area, "bc").bandwidth = 9_GBps;
  path_named(area, "ad").latency = 5_ms;
  EXPECT_EQ(relays(area), Relays{4});
  path_named(area, "ae").dead = true;
  EXPECT_EQ(relays(area), (Relays{2, 3})) << "three hops of 1 ms instead of 5 ms and 1 ms";
  path_named(area, "cd").latency = path_named(area, "ce").latency = 5_ms;
  EXPECT_EQ(relays(area), Relays{3});
  // Both hops over one backbone share it.
  for (const char* dead : {"cd", "ce", "de"}) path_named(area, dead).dead = true;
  for (const char* gone : {"ad", "bd"}) {
    std::erase_if(area.links, [&](const WideLink& link) { return link.name == gone; });
  }
  area.backbone->bandwidth = 17_GBps;
  EXPECT_EQ(relays(area), Relays{2});
  area.backbone->bandwidth = 19_GBps;
  EXPECT_EQ(relays(area), Relays{3});
}

// Only a-c, c-d and d-b live. Around a, b, c and d, eight hops take the place of four, and c-d carries two
// of them each way.
TEST(Detours, PassSeveralSites) {
  WideArea area = sites_with_links(4, [](int, int) { return 8.0; });
  for (const char* dead : {"ab", "ad", "bc"}) path_named(area, dead).dead = true;
  path_named(area, "cd").bandwidth = 4_GBps;
  for (WideLink& link : area.links) link.latency = 30_ms;
  const RoundShape shape = equal_rounds(&exchanges::ring, 4, 10, 12 * kGiga);
  const RoundResult result = simulate_round(area, shape);
  const double steps = 2 * 3, part = 12.0 / 4;
  EXPECT_NEAR(result.round_s, 10 + steps * (0.03 * 8 / 4 + 2 * part / 4), 1e-6);
  // c sends its own to d, and passes on that from a to b, and from d to a; each of b's is its own.
  EXPECT_EQ(sent_by(result, 2), 3 * steps * part * kGiga);
  EXPECT_EQ(sent_by(result, 1), steps * part * kGiga);
  EXPECT_EQ(text_of_detours(area, path_named(area, "ab")),
            "dead: from a to b by way of c and d, back by way of d and c");
}

// Of every way over any of the other sites.
WayCost least_cost(const WideTopology& topology, const std::vector<int>& way, int to) {
  const WideArea& area = topology.area();
  WayCost least{.s_per_byte = 1e9};
  for (const int next : all_places(area)) {
    if (std::ranges::find(way, next) != way.end()) continue;
    if (is_dead_between(area, way.back(), next)) continue;
    std::vector<int> longer = way;
    longer.push_back(next);
    if (next != to) {
      least = std::min(least, least_cost(topology, longer, to));
      continue;
    }
    std::vector<Hop> hops;
    for (std::size_t i = 1; i < longer.size(); ++i) {
      hops.push_back(wide_hop(longer[i - 1], longer[i]));
    }
    std::vector<std::pair<LinkId, double>> crossings;
    least = std::min(least, way_cost(topology, hops, crossings));
  }
  return least;
}

// Six sites, some pairs of which share a backbone, while others have links that may be dead.
TEST(Detours, AreTheFastestOfAllWays) {
  std::mt19937 random(1);
  const auto pick = [&](int most) {
    return static_cast<int>(random() % static_cast<unsigned>(most));
  };
  int detours = 0, longer = 0;
  for (int one = 0; one < 200; ++one) {
    WideArea area = sites_with_links(6, [&](int, int) { return 1.0 + pick(4); });
    for (WideLink& link : area.links) {
      link.latency = Seconds::from_base(pick(3) * 0.01);
      link.dead = link.name == "ab" || pick(2) == 0;
    }
    std::erase_if(area.links,
                  [&](const WideLink& link) { return link.name != "ab" && pick(4) == 0; });
    area.backbone->bandwidth = Bandwidth::from_base((2.0 + pick(9)) * kGiga);
    const WideTopology topology(area);
    const std::vector<Hop> hops = hops_of(topology, wide_hop(0, 1), all_places(area));
    const WayCost least = least_cost(topology, {0}, 1);
    EXPECT_EQ(reaches(topology, wide_hop(0, 1), all_places(area)), least.s_per_byte < 1e9);
    if (hops.size() == 1) continue;
    ++detours;
    if (hops.size() > 2) ++longer;
    std::vector<std::pair<LinkId, double>> crossings;
    const WayCost cost = way_cost(topology, hops, crossings);
    EXPECT_NEAR(cost.s_per_byte, least.s_per_byte, 1e-9 * least.s_per_byte);
    EXPECT_NEAR(cost.latency_s, least.latency_s, 1e-12);
  }
  EXPECT_GT(detours, 100);
  EXPECT_GT(longer, 20);
}

TEST(Detours, AreNoneOverALinkThatLives) {
  const WideArea area = with_dead(even_sites(4), "ab");
  const std::vector<int> all{0, 1, 2, 3};
  EXPECT_EQ(hops_of(WideTopology(area), wide_hop(0, 2), all), std::vector{wide_hop(0, 2)});
}

// By name a and b are neighbours. Even where the ring without the dead link is slower.
TEST(Detours, AreAvoidedByTheBestRing) {
  for (const int count : {4, 5, 10}) {
    const WideArea area = even_sites(count);
    RoundShape shape = equal_rounds(&exchanges::ring, count, 10, 12 * kGiga);
    const double without = time_of_round(area, shape);
    EXPECT_GT(time_of_round(with_dead(area, "ab"), shape), without);
    shape.ring_order = RingOrder::best;
    EXPECT_EQ(time_of_round(with_dead(area, "ab"), shape), without) << count;
  }
  WideArea slow = with_dead(even_sites(4), "ab");
  path_named(slow, "bc").bandwidth = 1_GBps;
  const std::vector<int> ring = ordered_ring(slow, {0, 1, 2, 3}, RingOrder::best);
  EXPECT_EQ(ring_cost(WideTopology(slow), ring).detours, 0);
}

// Another one takes the place of a relay that has left. Without any, what is sent never arrives, as over
// any link that is down.
TEST(Detours, NeedASiteThatIsThere) {
  WideArea area = with_dead(even_sites(4), "ab");
  area.sites[2].drops_out = 5_s;
  const RoundResult result =
      simulate_round(area, equal_rounds(&exchanges::ring, 4, 10, 12 * kGiga), {.deadline = 30_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  EXPECT_EQ(sent_by(result, 2), 0);
  const WideTopology topology(area);
  const std::vector<int> ends{0, 1};
  EXPECT_EQ(hops_of(topology, wide_hop(0, 1), ends), std::vector{wide_hop(0, 1)});
  const Link dead = topology.links()[topology.way(wide_hop(0, 1)).links[1]];
  EXPECT_EQ(dead.name, "link_ab_0");
  EXPECT_EQ(dead.changes.back().rate_Bps, 0);
}

// Every exchange ends, and none is faster than with the link.
TEST(Detours, EndEveryExchange) {
  const WideArea area = even_sites(4);
  for (const Exchange* exchange :
       {&exchanges::flat_ring, &exchanges::ring, &exchanges::quantized_ring, &exchanges::all_to_all,
        &exchanges::all_gather, &exchanges::grouped_gather, &exchanges::tree_gather,
        &exchanges::leader}) {
    const RoundShape shape = equal_rounds(exchange, 4, 10, 12 * kGiga);
    const double direct = time_of_round(area, shape),
                 around = time_of_round(with_dead(area, "ab"), shape);
    EXPECT_GT(around, direct) << exchange->name;
    EXPECT_LT(around, 10 + 4 * (direct - 10)) << exchange->name;
  }
}

// What goes by way of a place apart needs no links between the sites.
TEST(Detours, AreNotNeededByWayOfAPlaceApart) {
  WideArea area = even_sites(2);
  area.store = Store{.upload = 10_GBps, .download = 10_GBps};
  area.syncer = Syncer{.uplink = 10_GBps, .downlink = 10_GBps};
  area.sites[1].count = 3;
  for (const Exchange* exchange : {&exchanges::store, &exchanges::syncer}) {
    const RoundShape shape = equal_rounds(exchange, 4, 10, 12 * kGiga);
    const RoundResult alive = simulate_round(area, shape);
    const RoundResult result = simulate_round(with_dead(area, "ab"), shape);
    EXPECT_EQ(result.outcome, RoundOutcome::complete) << exchange->name;
    EXPECT_EQ(result.round_s, alive.round_s) << exchange->name;
    EXPECT_EQ(result.plan.schedule.operations.size(), alive.plan.schedule.operations.size())
        << "one site of the table stands for all";
  }
}

TEST(Detours, AreNamed) {
  WideArea area = with_dead(even_sites(4), "ab");
  EXPECT_EQ(text_of_detours(area, path_named(area, "ab")),
            "dead: from a to b by way of c, back by way of c");
}

}  // namespace
}  // namespace sim
