// SPDX-License-Identifier: Apache-2.0
// Exchanges inside regions and across them: closed forms, and limits in which they are DiLoCo's.
#include "sim/sites/regions.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/rounds/round_report.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

constexpr double kLineRate = 1e9;  // bytes per second

// Sites by name, of which equal letters are a region; "-" is alone.
WideArea sites_in(const std::string& regions, double line_Bps, Seconds latency = {}) {
  WideArea area = equal_sites(1, line_Bps, latency);
  const Site one = area.sites.front();
  area.sites.clear();
  for (std::size_t i = 0; i < regions.size(); ++i) {
    area.sites.push_back(one);
    area.sites.back().name = "site_" + std::to_string(i);
    if (regions[i] != '-') area.sites.back().region = regions[i];
  }
  return area;
}

// Rings of that many bytes, where two sites share a region.
RoundShape rings_of_pairs(int places, int across_every, double bytes) {
  RoundShape shape = equal_rounds(&exchanges::ring, places, 10, bytes);
  shape.in_region = equal_rounds(&exchanges::ring, 2, 10, bytes).sites;
  shape.in_region.resize(shape.sites.size(), shape.in_region.front());
  shape.across_every = across_every;
  shape.rounds = 2 * across_every;
  return shape;
}

TEST(Regions, AreOfTheSitesThatNameThemAndOfEachOther) {
  WideArea area = sites_in("ba-a-", kLineRate);
  EXPECT_EQ(regions_of(area), (std::vector<int>{0, 1, 2, 1, 3}));
  EXPECT_EQ(region_size(area, 1), 2);
  EXPECT_EQ(region_size(area, 4), 1);
  area.sites[1].count = 3;
  area.sites[2].count = 2;
  EXPECT_EQ(regions_of(area), (std::vector<int>{0, 1, 1, 1, 2, 3, 1, 4}));
  EXPECT_EQ(region_size(area, 3), 4);
}

// One ring of four in each cycle, else rings of two: 2 steps of 1/R of the bytes.
TEST(Regions, TakeTheStepsOfTheirRings) {
  constexpr double kLatency = 0.02, kSeconds = 2.4;
  const WideArea area = sites_in("aabb", 10 * kLineRate, 20_ms);
  for (const int every : {2, 3, 10}) {
    const double across = 6 * (kLatency + kSeconds / 4);
    const double inside = 2 * (kLatency + kSeconds / 2);
    EXPECT_NEAR(simulate_round(area, rings_of_pairs(4, every, 24 * kLineRate)).round_s,
                10 + (across + (every - 1) * inside) / every, 1e-6)
        << every;
  }
}

// A region computes in 10 s and exchanges in 5 s, another one computes in 12 s: of two rounds one takes
// 25 s and the other 24 s until they meet. Together in every round they would take 27 s.
TEST(Regions, WaitForEachOtherOnlyAcross) {
  RoundShape shape = rings_of_pairs(4, 2, 5 * kLineRate);
  for (const std::size_t place : {2u, 3u}) {
    for (auto* work : {&shape.sites[place], &shape.in_region[place]}) {
      work->step_s = work->needed_s = 1.2;
      work->ready_s = {1.2};
    }
    shape.in_region[place].part_bytes = 0;
  }
  const double across = 6 * 5.0 / 4;
  EXPECT_NEAR(simulate_round(sites_in("aabb", kLineRate), shape).round_s, (25 + across) / 2, 1e-6);
}

// What is alone computes on.
TEST(Regions, OfOneSiteExchangeNothingBetween) {
  RoundShape shape = rings_of_pairs(3, 2, 6 * kLineRate);
  shape.in_region[2].part_bytes = shape.in_region[2].whole_bytes = 0;
  const RoundPlan plan = plan_round(sites_in("aa-", kLineRate), shape);
  std::map<int, int> sends;
  for (const Operation& operation : plan.schedule.operations) {
    if (operation.kind != OperationKind::flow) continue;
    for (const Hop& hop : plan.schedule.routes[operation.route].hops) ++sends[hop.source];
  }
  EXPECT_EQ(sends, (std::map<int, int>{{0, 4}, {1, 4}, {2, 2}}));
}

// By name every hop crosses; of two regions only two hops of the ring across have to.
TEST(Regions, FollowEachOtherAroundARing) {
  const WideArea area = sites_in("abab", kLineRate);
  const RoundPlan plan = plan_round(area, rings_of_pairs(4, 2, kLineRate));
  const std::vector<int> regions = regions_of(area);
  for (const Route& route : plan.schedule.routes) {
    int crossings = 0;
    for (const Hop& hop : route.hops) {
      crossings += regions[static_cast<std::size_t>(hop.source)] !=
                   regions[static_cast<std::size_t>(hop.destination)];
    }
    EXPECT_EQ(crossings, route.hops.size() == 4 ? 2 : 0);
  }
}

TEST(Regions, HideWhatOverlaps) {
  RoundShape shape = rings_of_pairs(4, 3, 4 * kLineRate);
  shape.overlap_steps = 8;
  shape.rounds = 9;
  EXPECT_NEAR(simulate_round(sites_in("aabb", kLineRate), shape).round_s, 10, 1e-6);
}

// In every round the site's region waits for the deadline, and across regions all do.
TEST(Regions, WaitForALostSiteInEveryRound) {
  WideArea area = sites_in("aabb", kLineRate);
  area.sites[3].drops_out = 5_s;
  RoundShape shape = rings_of_pairs(4, 3, 0);
  const RoundResult result = simulate_round(area, shape, {.deadline = 30_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  EXPECT_NEAR(result.round_s, 30, 1e-6);
  EXPECT_EQ(simulate_round(area, shape).outcome, RoundOutcome::aborted);
}

// Of two regions of three, each of six values crosses once instead of three times, a latency before it
// is passed on.
TEST(GroupedGather, CrossesOnceForEachRegion) {
  const WideArea area = sites_in("ababab", 10 * kLineRate, 20_ms);
  const std::vector<int> regions = regions_of(area);
  const RoundShape shape = equal_rounds(&exchanges::grouped_gather, 6, 10, 24 * kLineRate);
  const RoundPlan plan = plan_round(area, shape);
  int crossings = 0, sends = 0;
  for (const Operation& operation : plan.schedule.operations) {
    if (operation.kind != OperationKind::flow) continue;
    for (const Hop& hop : plan.schedule.routes[operation.route].hops) {
      ++sends;
      crossings += regions[static_cast<std::size_t>(hop.source)] !=
                   regions[static_cast<std::size_t>(hop.destination)];
    }
  }
  EXPECT_EQ(sends, 6 * 5);
  EXPECT_EQ(crossings, 6);
  EXPECT_NEAR(simulate_round(area, shape).round_s, 10 + 2 * 0.02 + 5 * 2.4, 1e-6);
}

// To the last bit.
TEST(GroupedGather, OfOneRegionAndOfSitesAloneIsAllGather) {
  for (const char* regions : {"aaaa", "----"}) {
    const WideArea area = sites_in(regions, 10 * kLineRate, 20_ms);
    EXPECT_EQ(
        simulate_round(area, equal_rounds(&exchanges::grouped_gather, 4, 10, kLineRate)).round_s,
        simulate_round(area, equal_rounds(&exchanges::all_gather, 4, 10, kLineRate)).round_s);
  }
}

class ModelRegions : public testing::Test {
 protected:
  static constexpr int kSteps = 8, kEvery = 3;

  WideArea area_of(const std::string& regions) const {
    WideArea area = sites_in(regions, kLineRate, 5_ms);
    for (Site& site : area.sites) site.cluster = part_of(cluster_, 1, 8);
    area.store = Store{.upload = Bandwidth::from_base(kLineRate),
                       .download = Bandwidth::from_base(kLineRate)};
    return area;
  }
  RoundContext context(const WideArea& area) const {
    return {area, model_, calibrations_, {}, scheme_named("sharded")};
  }
  Report report(const WideArea& area, const Scheme& scheme) const {
    const RoundContext given = context(area);
    return summarize(given, scheme, simulate_round(given, scheme));
  }
  static Scheme rounds(std::string_view name, int inner_steps, int across_every) {
    Scheme scheme = scheme_named(name);
    scheme.between_sites->inner_steps = inner_steps;
    scheme.between_sites->across_every = across_every;
    return scheme;
  }
  // The same rounds, to the last bit.
  void expect_equal(const std::string& regions, const Scheme& a, const Scheme& b) const {
    const WideArea area = area_of(regions);
    const Report one = report(area, a), other = report(area, b);
    EXPECT_EQ(one.time_s, other.time_s) << a.name;
    EXPECT_EQ(one.tokens_per_s, other.tokens_per_s) << a.name;
    EXPECT_EQ(one.wire_bytes_wan, other.wire_bytes_wan) << a.name;
    EXPECT_EQ(one.memory.total(), other.memory.total()) << a.name;
    EXPECT_EQ(one.round->inner_steps, other.round->inner_steps) << a.name;
    EXPECT_EQ(one.round->utilisation, other.round->utilisation) << a.name;
  }

  const Cluster cluster_ = read_cluster(source_directory() / "topologies/dgx_h100_x16.toml");
  const Model model_ = read_model(source_directory() / "traces/models/gpt_125m.toml");
  const std::vector<Calibration> calibrations_{8, roofline()};
};

TEST_F(ModelRegions, OfAllSitesAreDiLoCo) {
  expect_equal("aaaa", rounds("hierarchical_diloco", kSteps, kEvery), rounds("diloco", kSteps, 1));
}

TEST_F(ModelRegions, OfOneSiteEachAreDiLoCoOfTheOuterPeriod) {
  for (const char* regions : {"----", "abcd"}) {
    expect_equal(regions, rounds("hierarchical_diloco", kSteps, kEvery),
                 rounds("diloco", kSteps * kEvery, 1));
  }
}

TEST_F(ModelRegions, HaveBothLimitsUnderEveryExchange) {
  for (const Scheme* scheme : all_schemes(SchemeKind::between_sites)) {
    const SiteExchange& exchange = *scheme->between_sites;
    if (exchange.optimizer) continue;  // another step inside the sites, the same rounds
    if (exchange.gradients || !exchange.exchange->works_in_regions) continue;
    expect_equal("aaa", rounds(scheme->name, kSteps, kEvery), rounds(scheme->name, kSteps, 1));
    expect_equal("---", rounds(scheme->name, kSteps, kEvery),
                 rounds(scheme->name, kSteps * kEvery, 1));
  }
}

// Of an encode, parts of a quarter cross and parts of a half stay in the region.
TEST_F(ModelRegions, SendTheCodecsBytes) {
  const WideArea area = area_of("aabb");
  const RoundContext given = context(area);
  for (const char* name : {"hierarchical_diloco", "diloco_int8", "streaming_diloco"}) {
    Scheme scheme = rounds(name, kSteps, kEvery);
    const SiteExchange& one = *scheme.between_sites;
    double sent = 0;  // by the four sites in three rounds
    for (const ShardSize& shard : shard_sizes(given, 0, one.fragments)) {
      const auto part = [&](std::size_t sites) {
        const std::size_t elements = (shard.elements + sites - 1) / sites;
        return shard.gpus * one.wire.bytes(static_cast<double>(elements));
      };
      const double in_regions = 4 * part(2) * 2;
      sent += one.fragments * (4 * part(4) * 6 + (kEvery - 1) * in_regions);
    }
    EXPECT_NEAR(report(area, scheme).wire_bytes_wan, sent / kEvery / 4, 1e-6 * sent) << name;
  }
}

// Outer weights and momentum for each level that a site takes part in.
TEST_F(ModelRegions, KeepAnOuterStateForEachLevel) {
  const WideArea area = area_of("aa-");
  const Scheme scheme = rounds("hierarchical_diloco", kSteps, kEvery);
  const double alone = site_memory(context(area), 2, scheme).outer_state;
  EXPECT_EQ(alone, site_memory(context(area), 2, rounds("diloco", kSteps, 1)).outer_state);
  EXPECT_EQ(site_memory(context(area), 0, scheme).outer_state, 2 * alone);
}

}  // namespace
}  // namespace sim
