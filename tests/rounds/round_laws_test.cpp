// SPDX-License-Identifier: Apache-2.0
// Closed forms of rounds, and limits in which one scheme is another.
#include <gtest/gtest.h>

#include <array>

#include "sim/report/report.hpp"
#include "sim/sites/pairings.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

constexpr double kGigabyte = 1e9;
constexpr std::array kExchanges{
    &exchanges::flat_ring,   &exchanges::ring,       &exchanges::quantized_ring,
    &exchanges::all_to_all,  &exchanges::all_gather, &exchanges::grouped_gather,
    &exchanges::tree_gather, &exchanges::pair,       &exchanges::leader};

double round_s(const WideArea& area, const RoundShape& shape) {
  return simulate_round(area, shape).round_s;
}

// A ring over R sites passes on 2 (R-1) / R of the buffer, after as many latencies as steps.
TEST(Rounds, RingTakesItsSteps) {
  for (const int sites : {2, 3, 8}) {
    const RoundShape shape = equal_rounds(&exchanges::ring, sites, 10, 24 * kGigabyte);
    const double steps = 2 * (sites - 1);
    const double expected = 10 + steps * (0.02 + 24.0 / sites / 10);
    EXPECT_NEAR(round_s(equal_sites(sites, 10 * kGigabyte, 20_ms), shape), expected, 1e-6) << sites;
  }
}

// Each site sends (R-1) / R of the buffer twice, each time after one latency.
TEST(Rounds, AllToAllSendsPartsTwice) {
  for (const int sites : {2, 3, 8}) {
    const RoundShape shape = equal_rounds(&exchanges::all_to_all, sites, 10, 24 * kGigabyte);
    const double expected = 10 + 2 * (0.02 + (sites - 1) * 24.0 / sites / 10);
    EXPECT_NEAR(round_s(equal_sites(sites, 10 * kGigabyte, 20_ms), shape), expected, 1e-6) << sites;
  }
}

// Each site sends all it has to R-1 others, and receives as much.
TEST(Rounds, AllGatherSendsTheWholeToEveryOther) {
  for (const int sites : {2, 3, 8}) {
    const RoundShape shape = equal_rounds(&exchanges::all_gather, sites, 10, 24 * kGigabyte);
    const double expected = 10 + 0.02 + (sites - 1) * 2.4;
    EXPECT_NEAR(round_s(equal_sites(sites, 10 * kGigabyte, 20_ms), shape), expected, 1e-6) << sites;
  }
}

// Of three sites that have computed after 10, 15 and 20 s, the last two send a second each, and the
// first one waits for them between.
TEST(Rounds, WaitingForSlowerSitesIsNotCommunication) {
  RoundShape shape = equal_rounds(&exchanges::all_gather, 3, 10, 5 * kGigabyte);
  for (const int place : {1, 2}) {
    SiteWork& work = shape.sites[static_cast<std::size_t>(place)];
    work.step_s = work.needed_s = work.ready_s[0] = 1 + 0.5 * place;
  }
  const RoundResult result = simulate_round(equal_sites(3, 10 * kGigabyte), shape);
  EXPECT_NEAR(result.round_s, 21, 1e-6);
  ASSERT_EQ(last_rank(result.plan.schedule, result.timeline), 0);
  const TimeParts parts = time_parts(result.plan.schedule, result.timeline);
  EXPECT_NEAR(parts.compute_s, 10, 1e-6);
  EXPECT_NEAR(parts.exposed_comm_s, 2, 1e-6);
  EXPECT_NEAR(parts.bubble_s, 9, 1e-6);
}

// As much as by an all_gather in all, and a latency for each level of the tree: seven sites are 1 + 2 +
// 4, or a chain.
TEST(Rounds, TreeGatherTakesALatencyForEachLevel) {
  for (const auto& [fan_out, levels] : {std::pair{1, 6}, {2, 2}, {5, 2}, {6, 1}, {9, 1}}) {
    RoundShape shape = equal_rounds(&exchanges::tree_gather, 7, 10, 24 * kGigabyte);
    shape.fan_out = fan_out;
    EXPECT_NEAR(round_s(equal_sites(7, 10 * kGigabyte, 20_ms), shape), 10 + levels * 0.02 + 6 * 2.4,
                1e-6)
        << fan_out;
  }
}

// To the last bit, on lines that differ too.
TEST(Rounds, TreeThatReachesAllIsAllGather) {
  const WideArea area = equal_sites(5, 10 * kGigabyte, 20_ms);
  const RoundShape direct = equal_rounds(&exchanges::all_gather, 5, 10, 24 * kGigabyte);
  for (const int fan_out : {4, 7}) {
    RoundShape tree = equal_rounds(&exchanges::tree_gather, 5, 10, 24 * kGigabyte);
    tree.fan_out = fan_out;
    EXPECT_EQ(round_s(area, tree), round_s(area, direct));
  }
}

// One upload, then the downloads of all others: each after its request.
TEST(Rounds, StorageTakesOneUploadAndTheDownloadsOfAllOthers) {
  WideArea area = equal_sites(5, 10 * kGigabyte);
  area.store = Store{.upload = Bandwidth::from_base(kUnlimited),
                     .download = Bandwidth::from_base(kUnlimited),
                     .request = 50_ms,
                     .latency = 10_ms};
  const RoundShape shape = equal_rounds(&exchanges::store, 5, 10, 24 * kGigabyte);
  EXPECT_NEAR(round_s(area, shape), 10 + (0.06 + 2.4) + (0.06 + 4 * 2.4), 1e-6);
}

// The storage's own rate binds before the sites' lines do.
TEST(Rounds, StorageServesAtItsOwnRate) {
  WideArea area = equal_sites(2, 10 * kGigabyte);
  area.store = Store{.upload = Bandwidth::from_base(kGigabyte),
                     .download = Bandwidth::from_base(2 * kGigabyte)};
  const RoundShape shape = equal_rounds(&exchanges::store, 2, 10, 24 * kGigabyte);
  EXPECT_NEAR(round_s(area, shape), 10 + 24 + 12, 1e-6);
}

// Partners of a round exchange over lines of their own: pairs do not slow each other.
TEST(Rounds, GossipTakesAsLongWithAnyNumberOfPairs) {
  for (const int sites : {2, 4, 8}) {
    const RoundShape shape = equal_rounds(&exchanges::pair, sites, 10, 24 * kGigabyte);
    EXPECT_NEAR(round_s(equal_sites(sites, 10 * kGigabyte), shape), 10 + 2.4, 1e-6) << sites;
  }
}

// In all pairings, or in a tournament of more than 8 sites, every site meets every other one as often.
TEST(Rounds, GossipMeetsEveryPartner) {
  for (const auto& [sites, pairings] : {std::pair{1, 1},
                                        {2, 1},
                                        {3, 3},
                                        {4, 3},
                                        {5, 15},
                                        {6, 15},
                                        {7, 105},
                                        {8, 105},
                                        {9, 9},
                                        {12, 11}}) {
    EXPECT_EQ(pairing_count(sites), pairings);
  }
  for (const int sites : {4, 5, 8, 9, 12}) {
    RoundShape shape = equal_rounds(&exchanges::pair, sites, 1, kGigabyte);
    shape.rounds = pairing_count(sites);
    const RoundPlan plan = plan_round(equal_sites(sites, kGigabyte), shape);
    std::map<std::pair<int, int>, int> met;
    for (const Operation& operation : plan.schedule.operations) {
      if (operation.kind != OperationKind::flow) continue;
      for (const Hop& hop : plan.schedule.routes[operation.route].hops) {
        ++met[{hop.source, hop.destination}];
      }
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(sites * (sites - 1)));
    const int partners = sites % 2 == 0 ? sites - 1 : sites;
    for (const auto& [pair, times] : met) {
      EXPECT_EQ(times, shape.rounds / partners) << pair.first << pair.second;
    }
  }
}

TEST(Rounds, InfiniteBandwidthIsFullUtilisation) {
  for (const Exchange* exchange : kExchanges) {
    const RoundShape shape = equal_rounds(exchange, 4, 100, 24 * kGigabyte);
    EXPECT_NEAR(100 / round_s(equal_sites(4, kUnlimited), shape), 1, 1e-6) << exchange->name;
  }
}

// A fragment of everything, waited for at once, is the whole.
TEST(Rounds, OneFragmentWithoutOverlapIsDiLoCo) {
  const WideArea area = equal_sites(2, 10 * kGigabyte, 20_ms);
  RoundShape streaming = equal_rounds(&exchanges::ring, 2, 100, 24 * kGigabyte);
  const double diloco = round_s(area, streaming);
  streaming.fragments = 1;
  streaming.overlap_steps = 0;
  EXPECT_EQ(round_s(area, streaming), diloco);
}

// Sent a step before it is needed, what takes less than a step costs nothing.
TEST(Rounds, OverlapHidesWhatTakesLessThanTheStepsBetween) {
  RoundShape shape = equal_rounds(&exchanges::ring, 2, 20, 9 * kGigabyte);
  shape.rounds = 3;
  EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), 20.9, 1e-6);
  shape.overlap_steps = 1;
  EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), 20, 1e-6);
  shape.sites[0].part_bytes = shape.sites[1].part_bytes =
      12.5 * kGigabyte;  // 2.5 s instead of 0.9 s
  EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), 21.5, 1e-6);
}

// Fragments are sent apart, and together they are the whole.
TEST(Rounds, FragmentsAddUpToTheWhole) {
  RoundShape shape = equal_rounds(&exchanges::ring, 2, 20, 24 * kGigabyte / 4);
  shape.fragments = 4;
  EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), 20 + 2.4, 1e-6);
}

// What is ready in parts is sent beside the rest of the step.
TEST(Rounds, PartsAreSentWhileTheStepGoesOn) {
  RoundShape shape = equal_rounds(&exchanges::ring, 2, 1, 8 * kGigabyte);
  for (SiteWork& site : shape.sites) site.ready_s = {0.25, 0.5, 0.75, 1};
  // 0.2 s each: all but the last one's are over when the step ends.
  EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), 1.2, 1e-6);
  // 0.4 s each: one after the other from 0.25 s on.
  EXPECT_NEAR(round_s(equal_sites(2, 5 * kGigabyte), shape), 0.25 + 4 * 0.4, 1e-6);
}

// Parts are on their way at once, so that latency is paid once for all of them: 2 (2 - 1) steps of it.
TEST(Rounds, PartsShareTheirLatency) {
  RoundShape shape = equal_rounds(&exchanges::ring, 2, 1, 8 * kGigabyte);
  for (SiteWork& site : shape.sites) {
    site.ready_s.clear();
    for (int part = 1; part <= 16; ++part) site.ready_s.push_back(part / 16.0);
  }
  EXPECT_NEAR(round_s(equal_sites(2, 1000 * kGigabyte, 80_ms), shape), 1 + 2 * 0.08 + 0.008 / 16,
              1e-3);
}

// Of two equal sites, neither waits for the other while parts are under way.
TEST(Rounds, PartsUnderWayAreCommunication) {
  for (const Exchange* exchange : {&exchanges::ring, &exchanges::quantized_ring,
                                   &exchanges::all_to_all, &exchanges::all_gather}) {
    RoundShape shape = equal_rounds(exchange, 2, 1, 8 * kGigabyte);
    for (SiteWork& site : shape.sites) site.ready_s = {0.25, 0.5, 0.75, 1};
    const RoundResult result = simulate_round(equal_sites(2, 10 * kGigabyte, 80_ms), shape);
    const TimeParts parts = time_parts(result.plan.schedule, result.timeline);
    EXPECT_NEAR(parts.bubble_s, 0, 1e-6) << exchange->name;
    EXPECT_NEAR(parts.exposed_comm_s, result.timeline.makespan_s - parts.compute_s, 1e-6)
        << exchange->name;
    EXPECT_GT(parts.exposed_comm_s, 0.08) << exchange->name;
  }
}

// Without latency, overlap hides something or nothing, whatever the exchange and its kernels.
TEST(Rounds, PartsAreNeverSlowerWithoutLatency) {
  for (const Exchange* exchange :
       {&exchanges::ring, &exchanges::quantized_ring, &exchanges::all_to_all,
        &exchanges::all_gather, &exchanges::leader}) {
    for (const double bytes : {0.1 * kGigabyte, 4 * kGigabyte, 40 * kGigabyte}) {
      for (const int parts : {2, 3, 16, 64}) {
        RoundShape shape = equal_rounds(exchange, 4, 1, bytes);
        for (SiteWork& site : shape.sites) {
          site.encode_s = 0.05;
          site.sum_s = 0.04;
          site.decode_s = 0.03;
          site.slowdown = 1.2;
          site.slowdown_Bps = 10 * kGigabyte;
        }
        const WideArea area = equal_sites(4, 10 * kGigabyte);
        const double whole_s = round_s(area, shape);
        for (SiteWork& site : shape.sites) {
          site.ready_s.clear();
          for (int part = 1; part <= parts; ++part) {
            site.ready_s.push_back(0.5 + 0.5 * part / parts);
          }
        }
        EXPECT_LE(round_s(area, shape), whole_s * (1 + 1e-9))
            << exchange->name << " " << bytes << " " << parts;
      }
    }
  }
}

TEST(Rounds, TheSlowestSiteSetsThePace) {
  RoundShape shape = equal_rounds(&exchanges::all_gather, 3, 10, 0);
  shape.sites[1].step_s = shape.sites[1].needed_s = 1.5;
  shape.sites[1].ready_s = {1.5};
  EXPECT_NEAR(round_s(equal_sites(3, kGigabyte), shape), 15, 1e-6);
}

// A backbone is shared by all pairs.
TEST(Rounds, ASharedBackboneCarriesAllPairs) {
  WideArea area = equal_sites(4, 10 * kGigabyte);
  area.backbone->bandwidth = Bandwidth::from_base(10 * kGigabyte);
  area.backbone->background = 0.5;
  const RoundShape shape = equal_rounds(&exchanges::all_gather, 4, 10, 5 * kGigabyte);
  EXPECT_NEAR(round_s(area, shape), 10 + 12 * 5 / 5.0, 1e-6);
}

// 4 MiB x 16 channels over a round trip of 21 ms: 3.196 GB/s, whatever the fibre carries.
TEST(Rounds, LongFibreIsBoundedByBuffersInFlight) {
  WideArea area = equal_sites(2, 1000 * kGigabyte, 10.5_ms);
  area.transport.rdma = {.buffer = 4_MiB, .channels = 16};
  const RoundShape shape = equal_rounds(&exchanges::all_gather, 2, 1, 32 * kGigabyte);
  const double rate = 4 * 1024 * 1024 * 16 / 0.021;
  EXPECT_NEAR(rate, 3.2 * kGigabyte, 0.01 * kGigabyte);
  EXPECT_NEAR(round_s(area, shape), 1 + 0.0105 + 32 * kGigabyte / rate, 1e-6);
}

// Of the steps that pass while traffic does, each takes `slowdown` times as long.
TEST(Rounds, StepsBesideTrafficAreSlower) {
  RoundShape shape = equal_rounds(&exchanges::ring, 2, 100, 50 * kGigabyte);  // 5 s of a round
  shape.rounds = 3;
  shape.overlap_steps = 20;
  for (SiteWork& site : shape.sites) site.slowdown = 1.25;
  EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), 100 + 5 - 5 / 1.25, 1e-6);
}

// A merge takes 2.4 s there and 2.4 s back. Learners see nothing of it in a round of 6 s, though it
// is there too late for the step after the next; in a shorter round they compute all of its steps, then
// wait to send.
TEST(Rounds, AsynchronousSitesWaitForTheLastExchangeAlone) {
  RoundShape shape = equal_rounds(&exchanges::leader, 2, 6, 24 * kGigabyte);
  shape.rounds = 3;
  shape.overlap_steps = 1;
  EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), 6 + 3.8, 1e-6);
  shape.delayed = true;
  EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), 6, 1e-6);
  for (const int steps : {1, 2, 4, 5}) {
    shape.inner_steps = steps;
    EXPECT_NEAR(round_s(equal_sites(2, 10 * kGigabyte), shape), std::max(1.0 * steps, 4.8), 1e-6);
  }
}

TEST(Rounds, LatenciesFromAMicrosecondToASecondWork) {
  for (const double latency : {1e-6, 1e-3, 1.0}) {
    for (const Exchange* exchange : kExchanges) {
      RoundShape shape = equal_rounds(exchange, 3, 10, kGigabyte);
      const RoundResult result =
          simulate_round(equal_sites(3, kGigabyte, Seconds::from_base(latency)), shape);
      EXPECT_EQ(result.outcome, RoundOutcome::complete);
      EXPECT_GT(result.round_s, 10 + latency);
      EXPECT_LT(result.round_s, 10 + 5 + 5 * latency);
    }
  }
}

}  // namespace
}  // namespace sim
