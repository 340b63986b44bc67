// SPDX-License-Identifier: Apache-2.0
// What a hop between sites crosses, how fast each link of it is, and when its first byte comes.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "sim/schedule/builder.hpp"
#include "sim/schedule/wiring.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr double kWideTolerance = 1e-6;  // bytes per second

// Two nodes with one NIC of 50 GB/s each: a site's NICs carry 100 GB/s.
Site site(std::string name, int count, Bandwidth up, Bandwidth down) {
  return {.name = std::move(name),
          .count = count,
          .cluster = sample_cluster({.nodes = 2, .gpus = 8, .nics = 1}),
          .uplink = up,
          .downlink = down};
}

// RDMA that has 1 GB in flight of each sender.
Transport gigabytes_in_flight(Transport::Sender sender) {
  return {.kind = Transport::Kind::rdma,
          .sender = sender,
          .rdma = {.buffer = Bytes{1'000'000'000}, .channels = 1}};
}

// Places: 0 is a, 1 and 2 are b's, 3 is c. a and b have a link of their own, and so have b's among
// themselves; all others share the backbone. Paths without a delay have no limit by connections.
WideArea sample_sites() {
  WideArea area;
  area.transport = gigabytes_in_flight(Transport::Sender::site);
  area.sites = {site("a", 1, 1_GBps, 2_GBps), site("b", 2, 3_GBps, 4_GBps),
                site("c", 1, 500_GBps, 600_GBps)};
  area.links = {{.name = "ab", .between = {"a", "b"}, .bandwidth = 5_GBps},
                {.name = "bb", .between = {"b", "b"}, .bandwidth = 6_GBps}};
  area.backbone = WideLink{.name = "backbone", .bandwidth = 7_GBps};
  return area;
}

Wiring wire_hops(const WideArea& area, std::vector<Hop> hops) {
  ScheduleBuilder builder(place_count(area));
  builder.flow(builder.add_route({.hops = std::move(hops)}), 0, Phase::none, "flow", 0, 1e9, {});
  return wire(std::move(builder).finish(), WideTopology(area));
}

// The links that the hop crosses, by name.
std::multiset<std::string> crossed(const WideArea& area, Hop hop) {
  const Wiring wiring = wire_hops(area, {hop});
  std::multiset<std::string> names;
  for (const Crossing& one : wiring.routes.at(0)) {
    for (int share = 0; share < one.times; ++share) names.insert(wiring.links[one.link].name);
  }
  return names;
}

Link link_named(const WideArea& area, const std::string& name, Hop hop = wide_hop(0, 1)) {
  for (const Link& link : wire_hops(area, {hop}).links) {
    if (link.name == name) return link;
  }
  ADD_FAILURE() << "no link " << name;
  return {};
}

using Names = std::multiset<std::string>;

TEST(WideHop, CrossesTheAccessOfBothAndThePairsLinkInItsDirection) {
  const WideArea area = sample_sites();
  EXPECT_EQ(crossed(area, wide_hop(0, 1)), (Names{"up_a", "link_ab_0", "down_b_0"}));
  EXPECT_EQ(crossed(area, wide_hop(1, 0)), (Names{"up_b_0", "link_ab_1", "down_a"}));
  EXPECT_EQ(crossed(area, wide_hop(2, 0)), (Names{"up_b_1", "link_ab_1", "down_a"}));
}

TEST(WideHop, BetweenSitesOfOneTableHasTwoDirectionsToo) {
  const WideArea area = sample_sites();
  EXPECT_EQ(crossed(area, wide_hop(1, 2)), (Names{"up_b_0", "link_bb_0", "down_b_1"}));
  EXPECT_EQ(crossed(area, wide_hop(2, 1)), (Names{"up_b_1", "link_bb_1", "down_b_0"}));
}

TEST(WideHop, WithoutALinkOfItsOwnTakesTheOneBackbone) {
  const WideArea area = sample_sites();
  EXPECT_EQ(crossed(area, wide_hop(0, 3)), (Names{"up_a", "backbone", "down_c"}));
  EXPECT_EQ(crossed(area, wide_hop(3, 0)), (Names{"up_c", "backbone", "down_a"}));
  EXPECT_EQ(crossed(area, wide_hop(3, 2)), (Names{"up_c", "backbone", "down_b_1"}));
}

TEST(WideHop, OverAPathWithoutABandwidthCrossesTheAccessAlone) {
  WideArea area = sample_sites();
  area.backbone->bandwidth.reset();
  area.links[0].bandwidth.reset();
  EXPECT_EQ(crossed(area, wide_hop(0, 3)), (Names{"up_a", "down_c"}));
  EXPECT_EQ(crossed(area, wide_hop(0, 1)), (Names{"up_a", "down_b_0"}));
  EXPECT_EQ(crossed(area, wide_hop(1, 2)), (Names{"up_b_0", "link_bb_0", "down_b_1"}));
}

TEST(WideHop, ToAndFromTheSyncerCrossesItsLinesAndOneAccess) {
  WideArea area = sample_sites();
  area.syncer = Syncer{.uplink = 8_GBps, .downlink = 9_GBps, .latency = 7_ms};
  const int syncer = syncer_place(area);
  EXPECT_EQ(syncer, 4);
  EXPECT_EQ(store_place(area), 5);
  EXPECT_EQ(crossed(area, wide_hop(2, syncer)),
            (Names{"up_b_1", "syncer_down", "connections_2_4"}));
  EXPECT_EQ(crossed(area, wide_hop(syncer, 2)),
            (Names{"syncer_up", "down_b_1", "connections_4_2"}));
  EXPECT_EQ(wide_latency(area, wide_hop(2, syncer)), 7_ms);
  EXPECT_EQ(wide_latency(area, wide_hop(syncer, 2)), 7_ms);
  EXPECT_EQ(link_named(area, "syncer_up", wide_hop(syncer, 2)).set_by, "syncer.uplink");
  EXPECT_EQ(link_named(area, "syncer_down", wide_hop(2, syncer)).rate_Bps, 9e9);
}

TEST(WideHop, ToAndFromTheStoreCrossesOneAccess) {
  WideArea area = sample_sites();
  area.store = Store{.upload = 8_GBps, .download = 9_GBps};
  const int store = store_place(area);
  EXPECT_EQ(store, 4);
  EXPECT_EQ(crossed(area, wide_hop(2, store)), (Names{"up_b_1", "connections_2_4"}));
  EXPECT_EQ(crossed(area, wide_hop(store, 2)), (Names{"down_b_1", "connections_4_2"}));
  // Without a delay the storage itself is the limit, in each direction its own.
  EXPECT_NEAR(link_named(area, "connections_2_4", wide_hop(2, store)).rate_Bps, 8e9,
              kWideTolerance);
  EXPECT_NEAR(link_named(area, "connections_4_2", wide_hop(store, 2)).rate_Bps, 9e9,
              kWideTolerance);
}

TEST(WideHop, CarriesSeveralSharesOverEachOfItsLinks) {
  Hop twice = wide_hop(0, 3);
  twice.times = 2;
  EXPECT_EQ(crossed(sample_sites(), twice),
            (Names{"up_a", "backbone", "down_c", "up_a", "backbone", "down_c"}));
}

TEST(Access, IsAtMostWhatTheNicsCarry) {
  const WideArea area = sample_sites();
  EXPECT_NEAR(link_named(area, "up_a").rate_Bps, 1e9, kWideTolerance);
  EXPECT_NEAR(link_named(area, "down_a").rate_Bps, 2e9, kWideTolerance);
  EXPECT_NEAR(link_named(area, "down_b_1").rate_Bps, 4e9, kWideTolerance);
  // c's line carries 500 and 600 GB/s, the NICs of its two nodes 2 x 50.
  EXPECT_NEAR(link_named(area, "up_c").rate_Bps, 100e9, kWideTolerance);
  EXPECT_NEAR(link_named(area, "down_c").rate_Bps, 100e9, kWideTolerance);
}

TEST(PairLink, HasItsBandwidthEachWayLessWhatOthersUse) {
  WideArea area = sample_sites();
  area.links[0].background = 0.2;
  EXPECT_NEAR(link_named(area, "link_ab_0").rate_Bps, 0.8 * 5e9, kWideTolerance);
  EXPECT_NEAR(link_named(area, "link_ab_1").rate_Bps, 0.8 * 5e9, kWideTolerance);
  EXPECT_NEAR(link_named(area, "link_bb_1").rate_Bps, 6e9, kWideTolerance);
  EXPECT_NEAR(link_named(area, "backbone").rate_Bps, 7e9, kWideTolerance);
}

TEST(Changes, AreSharesOfTheLinesRate) {
  WideArea area = sample_sites();
  const Variation variation{.changes = {{10_s, 0.5}, {20_s, 0}}, .repeats = 300_s};
  area.sites[0].variation = variation;
  area.links[0].background = 0.5;
  area.links[0].variation = variation;
  area.backbone->variation = {.changes = {{30_s, 0.1}}, .repeats = std::nullopt};
  const auto expect_changes = [&](const char* name, std::vector<double> rates_Bps,
                                  double repeats_s) {
    const Link link = link_named(area, name);
    ASSERT_EQ(link.changes.size(), rates_Bps.size()) << name;
    for (std::size_t i = 0; i < rates_Bps.size(); ++i) {
      EXPECT_NEAR(link.changes[i].rate_Bps, rates_Bps[i], kWideTolerance) << name;
    }
    EXPECT_EQ(link.repeats_s, repeats_s) << name;
  };
  expect_changes("up_a", {0.5e9, 0}, 300);
  expect_changes("down_a", {1e9, 0}, 300);
  expect_changes("link_ab_0", {1.25e9, 0}, 300);
  expect_changes("link_ab_1", {1.25e9, 0}, 300);
  expect_changes("backbone", {0.7e9}, 0);
  expect_changes("up_b_0", {}, 0);
  EXPECT_EQ(link_named(area, "up_a").changes[1].at_s, 20);
}

TEST(Changes, OfALineFasterThanTheNicsCountFromTheLine) {
  WideArea area = sample_sites();
  // Half of 500 GB/s is still more than the NICs' 100; a tenth is 50.
  area.sites[2].variation = {.changes = {{10_s, 0.5}, {20_s, 0.1}}, .repeats = std::nullopt};
  const Link up = link_named(area, "up_c");
  EXPECT_NEAR(up.changes.at(0).rate_Bps, 100e9, kWideTolerance);
  EXPECT_NEAR(up.changes.at(1).rate_Bps, 50e9, kWideTolerance);
}

TEST(Connections, AreALinkOfTheirOwnForEachPairAndDirection) {
  WideArea area = sample_sites();
  area.backbone->latency = 250_ms;  // 1 GB in each half second: 2 GB/s
  EXPECT_EQ(crossed(area, wide_hop(0, 3)),
            (Names{"up_a", "backbone", "down_c", "connections_0_3"}));
  EXPECT_TRUE(crossed(area, wide_hop(3, 1)).contains("connections_3_1"));
  EXPECT_NEAR(link_named(area, "connections_0_3", wide_hop(0, 3)).rate_Bps, 2e9, kWideTolerance);
  EXPECT_EQ(crossed(area, wide_hop(0, 1)), (Names{"up_a", "link_ab_0", "down_b_0"}))
      << "no delay, no limit";
  // One link, however many flows of the pair there are.
  const Wiring wiring = wire_hops(area, {wide_hop(0, 3), wide_hop(0, 3)});
  EXPECT_EQ(std::ranges::count(wiring.links, "connections_0_3", &Link::name), 1);
}

TEST(Connections, AreThoseOfTheSmallerSitesSenders) {
  WideArea area = sample_sites();
  area.backbone->latency = 250_ms;
  area.sites[2].cluster = sample_cluster({.nodes = 1, .gpus = 4, .nics = 1});
  const auto rate = [&](Transport::Sender sender) {
    area.transport.sender = sender;
    return wide_connection_rate(area, wide_hop(0, 3)).base();
  };
  // 2 GB/s each; a has two nodes of eight GPUs, c one of four.
  EXPECT_NEAR(rate(Transport::Sender::site), 2e9, kWideTolerance);
  EXPECT_NEAR(rate(Transport::Sender::node), 1 * 2e9, kWideTolerance);
  EXPECT_NEAR(rate(Transport::Sender::gpu), 4 * 2e9, kWideTolerance);
}

TEST(Connections, ToTheStoreAreTheSlowerOfItsAndTheSites) {
  WideArea area = sample_sites();
  area.store = Store{.upload = 3_GBps, .download = 1_GBps, .request = {}, .latency = 250_ms};
  const int store = store_place(area);
  EXPECT_NEAR(wide_connection_rate(area, wide_hop(0, store)).base(), 2e9, kWideTolerance);
  EXPECT_NEAR(wide_connection_rate(area, wide_hop(store, 0)).base(), 1e9, kWideTolerance);
  area.transport.sender = Transport::Sender::node;  // two of them
  EXPECT_NEAR(wide_connection_rate(area, wide_hop(0, store)).base(), 3e9, kWideTolerance);
}

TEST(WideLatency, IsThePathsAndTheStoresWithItsRequest) {
  WideArea area = sample_sites();
  area.links[0].latency = 3_ms;
  area.backbone->latency = 5_ms;
  area.store = Store{.upload = {}, .download = {}, .request = 64_ms, .latency = 16_ms};
  EXPECT_EQ(wide_latency(area, wide_hop(0, 2)), 3_ms);
  EXPECT_EQ(wide_latency(area, wide_hop(2, 0)), 3_ms);
  EXPECT_EQ(wide_latency(area, wide_hop(1, 2)), 0_ms);
  EXPECT_EQ(wide_latency(area, wide_hop(3, 2)), 5_ms);
  EXPECT_EQ(wide_latency(area, wide_hop(3, store_place(area))), 64_ms + 16_ms);
  EXPECT_EQ(wide_latency(area, wide_hop(store_place(area), 3)), 64_ms + 16_ms);
}

TEST(ChangingLinks, CarryTheirRateOverTheirTime) {
  // 2 s at 1 GB/s, 2 s down, 6 s at 0.5 GB/s: 5 GB in each period of 10 s.
  const Link link{.name = "", .rate_Bps = 1e9, .changes = {{2, 0}, {4, 0.5e9}}, .repeats_s = 10};
  EXPECT_DOUBLE_EQ(capacity_bytes(link, 1), 1e9);
  EXPECT_DOUBLE_EQ(capacity_bytes(link, 3), 2e9);
  EXPECT_DOUBLE_EQ(capacity_bytes(link, 10), 5e9);
  EXPECT_DOUBLE_EQ(capacity_bytes(link, 36), 3 * 5e9 + 2e9 + 1e9);
  Link once = link;
  once.repeats_s = 0;
  EXPECT_DOUBLE_EQ(capacity_bytes(once, 36), 2e9 + 32 * 0.5e9);
}

TEST(WideLinks, NameTheKeysThatTheirRatesFollow) {
  WideArea area = sample_sites();
  area.store = Store{.upload = 8_GBps, .download = 9_GBps};
  const auto set_by = [&](const std::string& name, Hop hop) {
    return link_named(area, name, hop).set_by;
  };
  EXPECT_EQ(set_by("up_b_1", wide_hop(2, 0)), "sites.b.uplink");
  EXPECT_EQ(set_by("down_a", wide_hop(2, 0)), "sites.a.downlink");
  EXPECT_EQ(set_by("up_c", wide_hop(3, 0)), "network.nic_bandwidth of sample");
  EXPECT_EQ(set_by("link_ab_0", wide_hop(0, 1)), "links.ab.bandwidth");
  EXPECT_EQ(set_by("backbone", wide_hop(3, 0)), "backbone.bandwidth");
  EXPECT_EQ(set_by("connections_2_4", wide_hop(2, 4)), "store.upload");
  EXPECT_EQ(set_by("connections_4_2", wide_hop(4, 2)), "store.download");
  area.store->latency = 1_s;  // 1 GB in flight for two seconds
  EXPECT_EQ(set_by("connections_2_4", wide_hop(2, 4)), "rdma.buffer");
}

}  // namespace
}  // namespace sim
