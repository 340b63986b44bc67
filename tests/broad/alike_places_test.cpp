// SPDX-License-Identifier: Apache-2.0
// One site that stands for all that do the same tells of them what a simulation of all tells.
#include "sim/sites/alike_places.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "sim/program/plan_step.hpp"
#include "sim/rounds/round_report.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

constexpr double kGBytes = 1e9;
constexpr double kFoldsTo = 1e-9;  // of a time

// Two tables of five and of three sites, and one site, whose lines differ; storage.
WideArea three_tables() {
  WideArea area = equal_sites(5, 1 * kGBytes, 20_ms);
  area.sites.front().name = "a";
  for (const auto& [name, count, line] : {std::tuple{"b", 3, 0.7}, std::tuple{"c", 1, 2.5}}) {
    Site site = area.sites.front();
    site.name = name;
    site.count = count;
    site.uplink = Bandwidth::from_base(line * kGBytes);
    site.downlink = Bandwidth::from_base(2 * line * kGBytes);
    area.sites.push_back(std::move(site));
  }
  area.store = Store{.upload = Bandwidth::from_base(0.9 * kGBytes),
                     .download = Bandwidth::from_base(1.1 * kGBytes),
                     .request = 50_ms,
                     .latency = 10_ms};
  area.syncer = Syncer{.uplink = Bandwidth::from_base(1.9 * kGBytes),
                       .downlink = Bandwidth::from_base(2.1 * kGBytes),
                       .latency = 12_ms,
                       .egress = {},
                       .memory_bandwidth = Bandwidth::from_base(200 * kGBytes)};
  return area;
}

// Of its places; those of a table are alike.
RoundShape three_kinds(const Exchange* exchange, const WideArea& area) {
  RoundShape shape = equal_rounds(exchange, place_count(area), 10, 2 * kGBytes);
  for (int place = 0; place < place_count(area); ++place) {
    SiteWork& work = shape.sites[static_cast<std::size_t>(place)];
    if (site_of(area, place).name == "b") {
      work.step_s = work.needed_s = 1.1;
      work.ready_s = {0.6, 1.1};
    } else {
      work.ready_s = {0.5, 1};
    }
    work.encode_s = 0.02;
    work.sum_s = 0.03;
    work.decode_s = 0.01;
    work.update_s = 0.005;
    work.copies = {.fetch_s = 0.004, .load_s = 0.002, .weights_s = 0.001, .store_s = 0.003};
    work.slowdown = 1.1;
    work.slowdown_Bps = kGBytes;
  }
  shape.syncer_sum_s = 0.04;
  return shape;
}

struct Case {
  std::string name;
  std::function<void(WideArea& area, RoundShape& shape, Patience& patience)> change;
};

void delay(const WideArea& area, const std::string& table, double seconds, RoundShape& shape) {
  for (int place = 0; place < place_count(area); ++place) {
    if (site_of(area, place).name == table) {
      shape.sites[static_cast<std::size_t>(place)].start_s = seconds;
    }
  }
}

// Two rounds of three, of half the work.
void exchange_in_regions(RoundShape& shape) {
  if (!shape.exchange->works_in_regions) return;
  shape.across_every = shape.rounds = 3;
  shape.in_region = shape.sites;
  for (SiteWork& work : shape.in_region) work.encode_s = work.sum_s = 0.01;
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"as_they_are", [](WideArea&, RoundShape&, Patience&) {}},
      {"in_fragments",
       [](WideArea&, RoundShape& shape, Patience&) {
         shape.fragments = 4;
         shape.rounds = 2;
       }},
      {"beside_steps",
       [](WideArea&, RoundShape& shape, Patience&) {
         shape.overlap_steps = 4;
         shape.rounds = 3;
       }},
      {"delayed",
       [](WideArea&, RoundShape& shape, Patience&) {
         shape.overlap_steps = 1;
         shape.delayed = true;
         shape.rounds = 3;
       }},
      {"delayed_by_some_fragments",
       [](WideArea&, RoundShape& shape, Patience&) {
         shape.fragments = 5;
         shape.overlap_steps = 4;
         shape.delayed = true;
         shape.rounds = 3;
       }},
      {"over_a_shared_backbone",
       [](WideArea& area, RoundShape&, Patience&) {
         area.backbone->bandwidth = Bandwidth::from_base(3 * kGBytes);
       }},
      {"over_a_backbone_that_varies",
       [](WideArea& area, RoundShape&, Patience&) {
         area.backbone->bandwidth = Bandwidth::from_base(3 * kGBytes);
         area.backbone->variation = {.changes = {{3_s, 0.5}, {8_s, 0.8}}, .repeats = 11_s};
       }},
      {"over_links_of_their_own",
       [](WideArea& area, RoundShape&, Patience&) {
         area.links.push_back({.name = "ab",
                               .between = {"a", "b"},
                               .bandwidth = Bandwidth::from_base(0.8 * kGBytes),
                               .latency = 3_ms});
       }},
      {"over_slow_connections",
       [](WideArea& area, RoundShape&, Patience&) {
         area.transport.rdma = {.buffer = 4_MiB, .channels = 2};
       }},
      {"over_lines_that_vary",
       [](WideArea& area, RoundShape&, Patience&) {
         area.sites[0].variation = {.changes = {{2_s, 0.5}, {4_s, 1}}, .repeats = 5_s};
         area.sites[1].variation.changes = {{10.5_s, 0}, {20_s, 1}};
       }},
      {"with_a_late_table",
       [](WideArea& area, RoundShape& shape, Patience&) { delay(area, "b", 7, shape); }},
      {"without_a_late_table",
       [](WideArea& area, RoundShape& shape, Patience& patience) {
         delay(area, "b", 70, shape);
         patience.deadline = 60_s;
       }},
      {"without_a_lost_table",
       [](WideArea& area, RoundShape&, Patience& patience) {
         area.sites[0].drops_out = 5_s;
         patience.deadline = 60_s;
       }},
      {"late_in_every_round",
       [](WideArea& area, RoundShape& shape, Patience&) {
         delay(area, "b", 7, shape);
         shape.overlap_steps = 1;
         shape.delayed = true;
         shape.rounds = 3;
       }},
      {"without_a_late_table_in_fragments",
       [](WideArea& area, RoundShape& shape, Patience& patience) {
         delay(area, "b", 70, shape);
         shape.fragments = 4;
         shape.overlap_steps = 1;
         shape.rounds = 3;
         patience.deadline = 60_s;
       }},
      {"without_a_lost_table_in_regions",
       [](WideArea& area, RoundShape& shape, Patience& patience) {
         exchange_in_regions(shape);
         area.sites[0].region = "east";
         area.sites[1].region = area.sites[2].region = "west";
         area.sites[2].drops_out = 5_s;
         patience.deadline = 60_s;
       }},
      {"without_a_table_that_breaks_off",
       [](WideArea& area, RoundShape&, Patience& patience) {
         area.sites[0].drops_out = 15_s;
         patience.deadline = 20_s;
       }},
      {"aborted", [](WideArea& area, RoundShape&, Patience&) { area.sites[1].drops_out = 5_s; }},
      {"with_a_quorum",
       [](WideArea& area, RoundShape& shape, Patience& patience) {
         delay(area, "a", 30, shape);
         patience.quorum = 3;
         patience.grace = 1_s;
       }},
      {"with_a_quorum_for_fragments",
       [](WideArea& area, RoundShape& shape, Patience& patience) {
         delay(area, "a", 30, shape);
         shape.fragments = 5;
         shape.overlap_steps = 2;
         shape.delayed = true;
         shape.rounds = 3;
         patience.quorum = 3;
         patience.grace = 1_s;
       }},
      {"with_a_quorum_for_each_of_some_fragments",
       [](WideArea& area, RoundShape& shape, Patience& patience) {
         delay(area, "a", 30, shape);
         shape.fragments = 5;
         patience.quorum = 3;
         patience.grace = 1_s;
       }},
      {"of_two_works",
       [](WideArea&, RoundShape& shape, Patience&) {
         for (const std::size_t place : {1u, 3u}) shape.sites[place].step_s = 1.3;
       }},
      {"in_regions",
       [](WideArea& area, RoundShape& shape, Patience&) {
         exchange_in_regions(shape);
         area.sites[0].region = "east";
         area.sites[1].region = area.sites[2].region = "west";
       }},
      {"in_regions_and_alone",
       [](WideArea& area, RoundShape& shape, Patience&) {
         exchange_in_regions(shape);
         area.sites[1].region = "west";
       }},
      {"all_equal",
       [](WideArea& area, RoundShape& shape, Patience&) {
         const WideArea before = area;
         area = equal_sites(9, kGBytes, 30_ms);
         area.store = before.store;
         area.syncer = before.syncer;
         for (SiteWork& work : shape.sites) work = shape.sites[0];
       }},
  };
  return all;
}

using Folded = std::tuple<const Exchange*, Case>;

class AlikePlaces : public testing::TestWithParam<Folded> {};
INSTANTIATE_TEST_SUITE_P(Every, AlikePlaces,
                         testing::Combine(testing::ValuesIn(all_exchanges().begin(),
                                                            all_exchanges().end()),
                                          testing::ValuesIn(cases())),
                         [](const auto& instance) {
                           return std::string(std::get<0>(instance.param)->name) + "_" +
                                  std::get<1>(instance.param).name;
                         });

double end_of(const RoundResult& result, OperationId id) {
  return id == kNoOperation ? -1 : result.timeline.end_s[id];
}

double first_of(const RoundResult& result, const std::vector<OperationId>& ids) {
  double first = ids.empty() ? -1 : std::numeric_limits<double>::infinity();
  for (const OperationId id : ids) {
    if (!std::isnan(end_of(result, id))) first = std::min(first, end_of(result, id));
  }
  return first;
}

void expect_same_time(double folded, double whole, const std::string& what) {
  if (std::isnan(whole)) {
    EXPECT_TRUE(std::isnan(folded)) << what;
  } else if (std::isinf(whole)) {
    EXPECT_EQ(folded, whole) << what;
  } else {
    EXPECT_NEAR(folded, whole, kFoldsTo * std::max(1.0, whole)) << what;
  }
}

TEST_P(AlikePlaces, EndWhenAllOfThemDo) {
  const auto& [exchange, change] = GetParam();
  WideArea area = three_tables();
  RoundShape shape = three_kinds(exchange, area);
  Patience patience;
  change.change(area, shape, patience);
  const RoundResult folded = simulate_round(area, shape, patience);
  shape.whole = true;
  const RoundResult whole = simulate_round(area, shape, patience);
  EXPECT_EQ(folded.outcome, whole.outcome);
  EXPECT_EQ(folded.events, whole.events);
  EXPECT_EQ(folded.shape.fates, whole.shape.fates);
  expect_same_time(folded.round_s, whole.round_s, "round");
  for (std::size_t place = 0; place < shape.sites.size(); ++place) {
    const std::string name = "place " + std::to_string(place);
    expect_same_time(folded.period_s(place), whole.period_s(place), name);
    expect_same_time(first_of(folded, folded.plan.arrivals[place]),
                     first_of(whole, whole.plan.arrivals[place]), name);
    for (std::size_t round = 0; round < whole.plan.ends.size(); ++round) {
      for (const auto times : {&RoundPlan::ends, &RoundPlan::results}) {
        expect_same_time(end_of(folded, (folded.plan.*times)[round][place]),
                         end_of(whole, (whole.plan.*times)[round][place]), name);
      }
    }
  }
  const std::size_t operations = whole.plan.schedule.operations.size();
  if (exchange->alike_sites) {
    EXPECT_LT(folded.plan.schedule.operations.size(), operations);
  } else {
    EXPECT_EQ(folded.plan.schedule.operations.size(), operations);
  }
}

// All figures of a report, of a model's rounds under every scheme.
class AlikeSites : public testing::TestWithParam<const Scheme*> {};
INSTANTIATE_TEST_SUITE_P(Every, AlikeSites,
                         testing::ValuesIn(all_schemes(SchemeKind::between_sites).begin(),
                                           all_schemes(SchemeKind::between_sites).end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

void expect_same(double folded, double whole, const char* what) {
  EXPECT_NEAR(folded, whole, kFoldsTo * std::abs(whole)) << what;
}

TEST_P(AlikeSites, AreReportedAsAllOfThem) {
  WideArea area = three_tables();
  area.sites[1].speed = 0.8;
  for (Site& site : area.sites) site.egress = BytePrice::from_base(1e-11 * site.count);
  area.store->egress = BytePrice::from_base(1e-12);
  area.syncer->egress = BytePrice::from_base(2e-12);
  area.transport.rdma = {.buffer = 4_MiB, .channels = 16};
  const std::filesystem::path folder(GARDENHOSE_SOURCE_DIR);
  const Cluster cluster = read_cluster(folder / "topologies/dgx_h100_x16.toml");
  for (Site& site : area.sites) site.cluster = part_of(cluster, 1, 8);
  const Model model = read_model(folder / "traces/models/gpt_125m.toml");
  const std::vector<Calibration> calibrations(area.sites.size(), roofline());
  const Scheme sharded = scheme_named("sharded");
  const std::optional<Optimizer>& defined = GetParam()->between_sites->optimizer;
  RoundContext context{
      area, model, calibrations, {.optimizer = defined.value_or(Optimizer::adamw)}, sharded};
  const auto report = [&](bool whole) {
    context.whole = whole;
    return summarize(context, *GetParam(), simulate_round(context, *GetParam()));
  };
  const Report folded = report(false), whole = report(true);
  ASSERT_TRUE(whole.ended());
  expect_same(folded.time_s, whole.time_s, "time");
  expect_same(folded.tokens_per_s, whole.tokens_per_s, "tokens");
  expect_same(folded.usd_per_million_tokens, whole.usd_per_million_tokens, "price");
  expect_same(folded.wire_bytes_wan, whole.wire_bytes_wan, "sent");
  expect_same(folded.round->egress_usd, whole.round->egress_usd, "egress");
  expect_same(folded.round->utilisation, whole.round->utilisation, "utilisation");
  EXPECT_NEAR(folded.round->exchange_after_round_s, whole.round->exchange_after_round_s,
              kFoldsTo * whole.time_s);
  EXPECT_EQ(folded.round->time_site, whole.round->time_site);
  EXPECT_EQ(folded.bound, whole.bound);
  for (const auto part : {&TimeParts::compute_s, &TimeParts::exposed_comm_s, &TimeParts::codec_s,
                          &TimeParts::bubble_s, &TimeParts::optimizer_s, &TimeParts::other_s}) {
    EXPECT_NEAR(folded.time.*part, whole.time.*part, kFoldsTo * whole.time_s);
  }
  for (std::size_t table = 0; table < area.sites.size(); ++table) {
    const SiteReport& one = folded.round->by_site[table];
    const SiteReport& all = whole.round->by_site[table];
    expect_same(one.sent_bytes, all.sent_bytes, "sent by a site");
    expect_same(one.received_bytes, all.received_bytes, "received by a site");
  }
  ASSERT_EQ(folded.busiest_links.size(), whole.busiest_links.size());
  for (std::size_t i = 0; i < whole.busiest_links.size(); ++i) {
    EXPECT_EQ(folded.busiest_links[i].link, whole.busiest_links[i].link);
    EXPECT_EQ(folded.busiest_links[i].as_busy, whole.busiest_links[i].as_busy);
    expect_same(folded.busiest_links[i].busy, whole.busiest_links[i].busy, "busy");
  }
}

// One uploads, and downloads 9 999 times: 10 MB at 100 MB/s each, after two requests.
TEST(AlikePlaces, TenThousandPeersAreOne) {
  constexpr int kPeers = 10'000;
  WideArea area = equal_sites(kPeers, 0.1 * kGBytes);
  area.store = Store{.upload = Bandwidth::from_base(kUnlimited),
                     .download = Bandwidth::from_base(kUnlimited),
                     .request = 50_ms};
  const RoundResult result =
      simulate_round(area, equal_rounds(&exchanges::store, kPeers, 10, 0.01 * kGBytes));
  EXPECT_NEAR(result.round_s, 10 + 2 * 0.05 + kPeers * 0.1, 1e-6);
  EXPECT_LT(result.plan.schedule.operations.size(), 20u);
  EXPECT_EQ(result.plan.ends.front().back(), result.plan.ends.front().front());
}

// A learner sends a second and receives one; the syncer's lines carry ten thousand times as much.
TEST(AlikePlaces, TenThousandLearnersAreOne) {
  constexpr int kLearners = 10'000;
  WideArea area = equal_sites(kLearners, 0.1 * kGBytes);
  area.syncer = Syncer{.uplink = Bandwidth::from_base(500 * kGBytes),
                       .downlink = Bandwidth::from_base(kUnlimited),
                       .latency = 50_ms};
  const RoundResult result =
      simulate_round(area, equal_rounds(&exchanges::syncer, kLearners, 10, 0.1 * kGBytes));
  EXPECT_NEAR(result.round_s, 10 + 2 * 0.05 + 1 + kLearners * 0.1 / 500, 1e-6);
  EXPECT_LT(result.plan.schedule.operations.size(), 20u);
}

// Whichever order is best, where all pairs are joined alike.
TEST(AlikePlaces, ThousandsMakeARingInAnyOrder) {
  WideArea area = three_tables();
  area.sites[0].count = 6'000;
  area.sites[1].count = 3'000;
  RoundShape shape = three_kinds(&exchanges::quantized_ring, area);
  const double given_s = simulate_round(area, shape).round_s;
  shape.ring_order = RingOrder::best;
  EXPECT_NEAR(simulate_round(area, shape).round_s, given_s, kFoldsTo * given_s);
}

// Each partner is another one in each round.
TEST(AlikePlaces, PartnersAreNot) {
  const WideArea area = equal_sites(4, kGBytes);
  for (const auto& alike : alike_places(area, equal_rounds(&exchanges::pair, 4, 1, kGBytes))) {
    EXPECT_EQ(alike.size(), 1u);
  }
  EXPECT_EQ(unlike_places(area, {.exchange = &exchanges::pair}), 4);
}

// The direction of what goes over the link depends on the order of its ends.
TEST(AlikePlaces, SitesOfATableWithALinkOfItsOwnAreNot) {
  WideArea area = three_tables();
  area.links.push_back({.name = "aa", .between = {"a", "a"}, .latency = 1_ms});
  const auto alike = alike_places(area, three_kinds(&exchanges::store, area));
  for (std::size_t place = 0; place < 5; ++place) EXPECT_EQ(alike[place].size(), 1u);
  EXPECT_EQ(alike[5], (std::vector<int>{5, 6, 7}));
  EXPECT_EQ(unlike_places(area, {.exchange = &exchanges::store}), 5 + 1 + 1);
}

// In a round of regions they send to nobody, though there are more like them.
TEST(AlikePlaces, SitesWithoutARegionAreNot) {
  WideArea area = three_tables();
  area.sites[1].region = "west";
  RoundShape shape = three_kinds(&exchanges::ring, area);
  exchange_in_regions(shape);
  const auto alike = alike_places(area, shape);
  for (std::size_t place = 0; place < 5; ++place) EXPECT_EQ(alike[place].size(), 1u);
  EXPECT_EQ(alike[5].size(), 3u);
  EXPECT_EQ(unlike_places(area, {.exchange = &exchanges::ring, .across_every = 3}), 5 + 1 + 1);
}

// The first one that is heard sums for the others.
TEST(AlikePlaces, ALeaderIsNotOneOfThem) {
  const WideArea area = three_tables();
  RoundShape shape = three_kinds(&exchanges::leader, area);
  EXPECT_EQ(alike_places(area, shape)[1], (std::vector<int>{1, 2, 3, 4}));
  shape.fates.assign(9, Fate::heard);
  shape.fates[0] = shape.fates[2] = Fate::skipped;
  const auto alike = alike_places(area, shape);
  EXPECT_EQ(alike[0], (std::vector<int>{0, 2}));
  EXPECT_EQ(alike[1], (std::vector<int>{1}));
  EXPECT_EQ(alike[3], (std::vector<int>{3, 4}));
}

TEST(AlikePlaces, ASyncerIsNoneOfThem) {
  const WideArea area = three_tables();
  const auto alike = alike_places(area, three_kinds(&exchanges::syncer, area));
  EXPECT_EQ(alike[0], (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_EQ(unlike_places(area, {.exchange = &exchanges::syncer}), 3);
}

}  // namespace
}  // namespace sim
