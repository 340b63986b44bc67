// SPDX-License-Identifier: Apache-2.0
// Sites that are late, drop out or lose their link: an outcome with a reason, never a hang.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/rounds/round_parts.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

TEST(Fates, AnOutageIsWaitedFor) {
  WideArea area = three_sites();
  // The line is down from 10.5 s, in the middle of what it sends, to 60.5 s.
  area.sites[1].variation.changes = {{10.5_s, 0}, {60.5_s, 1}};
  const RoundResult result = simulate_round(area, ten_steps(&exchanges::all_gather));
  EXPECT_EQ(result.outcome, RoundOutcome::complete);
  EXPECT_NEAR(result.round_s, 10 + 2 + 50, 1e-6);
}

TEST(Fates, ALinkThatStaysDownAborts) {
  WideArea area = three_sites();
  area.sites[1].variation.changes = {{10.5_s, 0}};
  const RoundResult result = simulate_round(area, ten_steps(&exchanges::all_gather));
  EXPECT_EQ(result.outcome, RoundOutcome::aborted);
  EXPECT_TRUE(std::isinf(result.round_s));
  ASSERT_FALSE(result.events.empty());
  EXPECT_NE(result.events.front().find("b: its line goes down for good at 10.5 s"),
            std::string::npos);
}

TEST(Fates, ABandwidthThatHalvesPeriodicallyTakesAsLongAsItsMean) {
  WideArea area = equal_sites(2, 10 * kGB);
  // Two seconds at 10 GB/s, two at 5 GB/s: 7.5 GB/s.
  area.sites[0].variation = {.changes = {{2_s, 0.5}, {4_s, 1}}, .repeats = 4_s};
  RoundShape shape = equal_rounds(&exchanges::all_gather, 2, 8, 75 * kGB);
  EXPECT_NEAR(simulate_round(area, shape).round_s, 8 + 10, 1.01);
}

TEST(Fates, ASiteThatDropsOutWithoutADeadlineAborts) {
  WideArea area = three_sites();
  area.sites[2].drops_out = 5_s;
  for (const Exchange* exchange :
       {&exchanges::ring, &exchanges::all_gather, &exchanges::all_to_all}) {
    const RoundResult result = simulate_round(area, ten_steps(exchange));
    EXPECT_EQ(result.outcome, RoundOutcome::aborted);
    EXPECT_NE(result.events.front().find("c: drops out at 5.00 s"), std::string::npos);
  }
}

TEST(Fates, WithoutASiteThatIsHeardInTimeNobodyGoesOn) {
  const RoundResult result =
      simulate_round(three_sites(), ten_steps(&exchanges::all_gather), {.deadline = 1_s});
  EXPECT_EQ(result.outcome, RoundOutcome::aborted);
  ASSERT_EQ(result.events.size(), 1u);
  const std::string& event = result.events.front();
  EXPECT_TRUE(event.starts_with("site, b, c: arrive too late at ")) << event;
  EXPECT_NE(event.find("; no site is heard by then"), std::string::npos) << event;
}

TEST(Fates, WithADeadlineTheOthersGoOn) {
  WideArea area = three_sites();
  area.sites[2].drops_out = 5_s;
  const Patience patience{.deadline = 30_s};
  // They wait for the deadline; a gather of two is over by then, a ring begins then.
  const RoundResult gathered = simulate_round(area, ten_steps(&exchanges::all_gather), patience);
  EXPECT_EQ(gathered.outcome, RoundOutcome::partial);
  EXPECT_NEAR(gathered.round_s, 30, 1e-6);
  // The two share the whole: 2 steps of 10/2 GB, of which an all_to_all has sent the first by then.
  const RoundResult ring = simulate_round(area, ten_steps(&exchanges::ring), patience);
  EXPECT_NEAR(ring.round_s, 30 + 2 * 10.0 / 2 / 10, 1e-6);
  const RoundResult direct = simulate_round(area, ten_steps(&exchanges::all_to_all), patience);
  EXPECT_NEAR(direct.round_s, 30 + 10.0 / 2 / 10, 1e-6);
}

// Once its steps are over at 10 s, c is part of a ring or an all_to_all until that is over, at 11 1/3 s,
// and of an all_gather until the last of its values has arrived, at 12 s. Those that are left go on at the
// deadline, or when they miss it if that is later, as they would without one that drops out before.
TEST(Fates, ASiteThatDropsOutDuringTheExchangeBreaksIt) {
  WideArea area = three_sites();
  for (const double drops_s : {10.1, 11.2}) {
    area.sites[2].drops_out = Seconds::from_base(drops_s);
    for (const double deadline_s : {10.05, 30.0}) {
      const Patience patience{.deadline = Seconds::from_base(deadline_s)};
      const double from_s = std::max(drops_s, deadline_s);
      // Of two sites 5 GB: two steps of a ring, one sum sent back; a gather has the other's values.
      for (const auto& [exchange, then_s] : {std::pair{&exchanges::ring, 2 * 0.5},
                                             {&exchanges::quantized_ring, 2 * 0.5},
                                             {&exchanges::all_to_all, 0.5}}) {
        if (exchange == &exchanges::all_to_all && deadline_s < 11)
          continue;  // nobody is heard by then
        const RoundResult result = simulate_round(area, ten_steps(exchange), patience);
        EXPECT_EQ(result.outcome, RoundOutcome::partial) << exchange->name;
        EXPECT_EQ(result.shape.fates[2], Fate::gone) << exchange->name;
        EXPECT_NEAR(result.round_s, from_s + then_s, 1e-6) << exchange->name << drops_s;
        ASSERT_EQ(result.events.size(), 1u);
        EXPECT_NE(result.events[0].find("c: drops out at "), std::string::npos);
      }
    }
  }
  area.sites[2].drops_out = 11.5_s;
  const RoundResult ring = simulate_round(area, ten_steps(&exchanges::ring));
  EXPECT_EQ(ring.outcome, RoundOutcome::complete);
}

// From when it has handed in its own, of which the syncer or the storage serves the others. The syncer
// sends 10 GB to each of three from 11 s on, and the leader to each of two from 12 s on, at 10 GB/s together:
// what the site no longer takes, others have sooner.
TEST(Fates, ASiteThatHasHandedInIsNotMissed) {
  WideArea area = three_served_sites();
  for (const Exchange* exchange :
       {&exchanges::store, &exchanges::syncer, &exchanges::leader, &exchanges::pair}) {
    area.sites[2].drops_out = {};
    const RoundResult all = simulate_round(area, ten_steps(exchange));
    for (const double handed_in_s : {11.1, 12.5}) {
      const double drops_s = exchange == &exchanges::leader ? 13 : handed_in_s;
      area.sites[2].drops_out = Seconds::from_base(drops_s);
      const RoundResult result = simulate_round(area, ten_steps(exchange), {.deadline = 30_s});
      EXPECT_EQ(result.outcome, RoundOutcome::complete) << exchange->name;
      const double expected_s = exchange == &exchanges::syncer   ? 13 + (drops_s - 11) / 3
                                : exchange == &exchanges::leader ? 13 + (drops_s - 12) / 2
                                                                 : all.round_s;
      EXPECT_NEAR(result.round_s, expected_s, 1e-6) << exchange->name;
    }
    area.sites[2].drops_out = 10.5_s;
    EXPECT_EQ(simulate_round(area, ten_steps(exchange), {.deadline = 30_s}).outcome,
              RoundOutcome::partial)
        << exchange->name;
  }
}

// Of every exchange: whoever is there to its end delays nobody, and whoever leaves right before that of
// what it sends is gone.
TEST(Fates, OfASiteThatDropsOutAreThoseOfWhatItSends) {
  WideArea area = three_served_sites();
  for (const Exchange* exchange : all_exchanges()) {
    const std::size_t place = exchange == &exchanges::leader ? 0 : 2;
    area.sites[place].drops_out = 1000_s;
    const RoundResult all = simulate_round(area, ten_steps(exchange));
    double until_s = 0;
    for (const OperationId id : all.plan.sends[place]) until_s = std::max(until_s, all.end_s(id));
    EXPECT_GT(until_s, 10) << exchange->name;
    area.sites[place].drops_out = Seconds::from_base(until_s + 1e-3);
    const RoundResult stays = simulate_round(area, ten_steps(exchange));
    EXPECT_EQ(stays.outcome, RoundOutcome::complete) << exchange->name;
    EXPECT_LE(stays.round_s, all.round_s) << exchange->name;
    area.sites[place].drops_out = Seconds::from_base(until_s - 1e-3);
    EXPECT_EQ(simulate_round(area, ten_steps(exchange)).outcome, RoundOutcome::aborted)
        << exchange->name;
    const RoundResult result = simulate_round(area, ten_steps(exchange), {.deadline = 30_s});
    EXPECT_EQ(result.outcome, RoundOutcome::partial) << exchange->name;
    EXPECT_EQ(result.shape.fates[place], Fate::gone) << exchange->name;
    EXPECT_GE(result.round_s, 30) << exchange->name;
    area.sites[place].drops_out = {};
  }
}

TEST(Fates, WithNobodyLeftTheRoundIsAborted) {
  WideArea area = three_sites();
  for (Site& site : area.sites) site.drops_out = 5_s;
  const RoundResult result =
      simulate_round(area, ten_steps(&exchanges::all_gather), {.deadline = 30_s});
  EXPECT_EQ(result.outcome, RoundOutcome::aborted);
  EXPECT_TRUE(std::isinf(result.round_s));
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_EQ(result.events.front(), "site, b, c: drop out at 5.00 s; no site is heard");
}

// Those of a table that follow each other are named by their ends.
TEST(Fates, AReasonIsGivenOnceForAllItsSites) {
  WideArea area = equal_sites(6, 10 * kGB);
  area.sites[0].drops_out = 5_s;
  const RoundShape shape = equal_rounds(&exchanges::ring, 6, 10, 12 * kGB);
  const RoundResult result = simulate_round(area, shape);
  ASSERT_EQ(result.reasons.size(), 1u);
  EXPECT_EQ(result.reasons[0], "site_0 to site_5: drop out at 5.00 s");
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_EQ(result.events[0], result.reasons[0] + "; no site is heard");
}

TEST(Fates, ASiteThatIsLateIsSkippedAndStillServed) {
  WideArea area = three_sites();
  RoundShape shape = ten_steps(&exchanges::all_gather);
  shape.sites[2].start_s = 100;
  EXPECT_NEAR(simulate_round(area, shape).round_s, 110 + 2, 1e-6);
  const RoundResult result = simulate_round(area, shape, {.deadline = 30_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  EXPECT_EQ(result.shape.fates[2], Fate::skipped);
  const auto& ends = result.plan.ends.front();
  EXPECT_NEAR(result.timeline.end_s[ends[0]], 30, 1e-6);
  EXPECT_GE(result.timeline.end_s[ends[2]], 110);
}

TEST(Fates, ADeadlineThatEveryoneMeetsChangesNothing) {
  const RoundShape shape = ten_steps(&exchanges::all_gather);
  const RoundResult result = simulate_round(three_sites(), shape, {.deadline = 30_s});
  EXPECT_EQ(result.outcome, RoundOutcome::complete);
  EXPECT_NEAR(result.round_s, 12, 1e-6);
}

// Two of three are there at 11 s (the leader has its own at 10 s); a second of grace follows.
TEST(Fates, AQuorumWaitsForItsGraceAndNoLonger) {
  RoundShape shape = ten_steps(&exchanges::leader);
  shape.sites[2].start_s = 100;
  const RoundResult result = simulate_round(three_sites(), shape, {.quorum = 2, .grace = 1_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  const auto& ends = result.plan.ends.front();
  // Merged weights go to two sites over the leader's line.
  EXPECT_NEAR(result.timeline.end_s[ends[1]], 12 + 2, 1.01);
  EXPECT_LT(result.timeline.end_s[ends[1]], 15);
}

// A ring that begins after a wait of 20 s: what it takes is communication, the wait is none.
TEST(Fates, TheWaitForTheDeadlineIsWaiting) {
  WideArea area = three_sites();
  area.sites[2].drops_out = 5_s;
  const RoundResult result = simulate_round(area, ten_steps(&exchanges::ring), {.deadline = 30_s});
  const TimeParts parts = parts_of_round(result, last_place(result));
  EXPECT_NEAR(parts.compute_s, 10, 1e-6);
  EXPECT_NEAR(parts.bubble_s, 20, 1e-6);
  EXPECT_NEAR(parts.exposed_comm_s, 1, 1e-6);
}

// The exchange is beside the next round of all, but none has two in flight: whoever is late in every
// round sets the pace.
TEST(Fates, ASiteThatIsLateInEveryRoundSetsThePaceOfDelayedRounds) {
  RoundShape shape = ten_steps(&exchanges::ring);
  shape.overlap_steps = 1;
  shape.delayed = true;
  shape.rounds = 3;
  shape.sites[2].start_s = 100;
  EXPECT_NEAR(simulate_round(three_sites(), shape).round_s, 110, 1e-6);
}

// An exchange that waits until D and takes nothing is needed by the end of the next round: two rounds
// pass in D, or each takes its steps.
TEST(Fates, DelayedRoundsWaitForTheDeadlineBesideTheNextSteps) {
  for (const double deadline : {15.0, 30.0, 44.0}) {
    RoundShape shape = equal_rounds(&exchanges::ring, 3, 10, 0);
    shape.overlap_steps = 1;
    shape.delayed = true;
    shape.rounds = 3;
    shape.sites[2].start_s = 1000;
    const RoundResult result =
        simulate_round(three_sites(), shape, {.deadline = Seconds::from_base(deadline)});
    EXPECT_NEAR(result.round_s, std::max(10.0, deadline / 2), 1e-6) << deadline;
    EXPECT_NEAR(exchange_after_round_s(result), deadline - result.round_s, 1e-6) << deadline;
  }
}

// A ring that waits until D and then takes X, less than D: each round begins its own at the deadline, beside
// the one before, whose end it needs: rounds take D and X in turn, on average half of D + X, which is that of
// rounds that overlap nothing.
TEST(Fates, DelayedRoundsTakeTheDeadlineAndTheExchangeInTurn) {
  for (const double deadline : {30.0, 40.0}) {
    RoundShape shape = equal_rounds(&exchanges::ring, 3, 10, 240 * kGB);
    shape.sites[2].start_s = 1000;
    const Patience patience{.deadline = Seconds::from_base(deadline)};
    const double apart_s = simulate_round(three_sites(), shape, patience).round_s;
    ASSERT_GT(apart_s, deadline + 15);
    ASSERT_LT(apart_s, 2 * deadline);
    shape.overlap_steps = 10;
    shape.delayed = true;
    shape.rounds = 3;
    const RoundResult result = simulate_round(three_sites(), shape, patience);
    EXPECT_NEAR(result.round_s, apart_s / 2, 1e-6) << deadline;
  }
}

// The first of two fragments is sent after 5 steps and needed after 6: it waits until the deadline, the
// second is past it, and the 4 steps between follow.
TEST(Fates, AFragmentWaitsForTheDeadlineOfItsRound) {
  for (const Exchange* exchange :
       {&exchanges::ring, &exchanges::all_gather, &exchanges::all_to_all, &exchanges::leader}) {
    RoundShape shape = equal_rounds(exchange, 3, 10, 0);
    shape.fragments = 2;
    shape.overlap_steps = 1;
    shape.rounds = 3;
    shape.sites[2].start_s = 1000;
    const RoundResult result = simulate_round(three_sites(), shape, {.deadline = 30_s});
    EXPECT_EQ(result.outcome, RoundOutcome::partial);
    ASSERT_EQ(result.events.size(), 1u) << exchange->name;
    EXPECT_NEAR(result.round_s, 30 + 4, 1e-6) << exchange->name;
  }
}

// Of each fragment that is waited for, from when the quorum has sent its own.
TEST(Fates, AGraceIsThatOfEachExchange) {
  for (const int fragments : {1, 2, 5}) {
    RoundShape shape = equal_rounds(&exchanges::leader, 3, 10, 0);
    shape.fragments = fragments;
    shape.sites[2].start_s = 1000;
    const RoundResult result = simulate_round(three_sites(), shape, {.quorum = 2, .grace = 3_s});
    EXPECT_EQ(result.outcome, RoundOutcome::partial);
    EXPECT_NEAR(result.round_s, 10 + 3 * fragments, 1e-6);
  }
}

// Whoever waits for a slow site's first fragment comes late with the last one, but is not to blame; nor
// is a leader whose GPUs are to sum it.
TEST(Fates, OnlyTheSiteThatIsSlowIsLate) {
  for (const Exchange* exchange :
       {&exchanges::ring, &exchanges::quantized_ring, &exchanges::all_to_all,
        &exchanges::all_gather, &exchanges::tree_gather, &exchanges::leader}) {
    for (const int overlap : {0, 2}) {
      RoundShape shape = equal_rounds(exchange, 3, 10, kGB);
      shape.fragments = 5;
      shape.overlap_steps = overlap;
      shape.rounds = 3;
      for (SiteWork& work : shape.sites) work.encode_s = work.sum_s = 0.01;
      SiteWork& slow = shape.sites[2];
      slow.step_s = slow.needed_s = slow.ready_s[0] = 5;
      const RoundResult result = simulate_round(three_sites(), shape, {.deadline = 25_s});
      ASSERT_EQ(result.events.size(), 1u) << exchange->name << ", overlap of " << overlap;
      EXPECT_EQ(result.events.front().find("c: "), 0u) << result.events.front();
      EXPECT_EQ(result.outcome, RoundOutcome::partial);
    }
  }
}

// A link between two sites that are both heard by a third: no deadline leaves either out.
TEST(Fates, ARoundThatNeverEndsNamesTheLinkAndNothingElse) {
  for (const int fragments : {1, 2}) {
    for (const auto& deadline : {std::optional<Seconds>(), std::optional(60_s)}) {
      WideArea area = three_sites();
      area.links.push_back({.name = "bc",
                            .between = {"b", "c"},
                            .bandwidth = Bandwidth::from_base(10 * kGB),
                            .variation = {.changes = {{1_s, 0}}}});
      RoundShape shape = ten_steps(&exchanges::all_gather);
      shape.fragments = fragments;
      const RoundResult result = simulate_round(area, shape, {.deadline = deadline});
      EXPECT_EQ(result.outcome, RoundOutcome::aborted);
      ASSERT_EQ(result.events.size(), 1u);
      const std::string& event = result.events.front();
      EXPECT_NE(event.find("link_bc_0 (links.bc.bandwidth) is down"), std::string::npos) << event;
      EXPECT_NE(event.find("`set` links.bc.dead=true"), std::string::npos) << event;
      EXPECT_EQ(event.find("go on"), std::string::npos) << event;
    }
  }
}

// Whenever it does, and whatever the exchange.
TEST(Fates, ASiteWhoseLineStaysDownIsLostLikeOneThatDropsOut) {
  for (const Exchange* exchange : all_exchanges()) {
    for (const std::size_t place : {0u, 2u}) {
      for (const double lost_s : {5.0, 10.5, 11.1, 12.5, 25.0}) {
        WideArea drops = three_served_sites(), goes_down = drops;
        drops.sites[place].drops_out = Seconds::from_base(lost_s);
        goes_down.sites[place].variation.changes = {{Seconds::from_base(lost_s), 0}};
        for (const Patience& patience : {Patience{}, Patience{.deadline = 30_s}}) {
          const RoundResult expected = simulate_round(drops, ten_steps(exchange), patience);
          const RoundResult result = simulate_round(goes_down, ten_steps(exchange), patience);
          EXPECT_EQ(result.outcome, expected.outcome) << exchange->name << lost_s;
          EXPECT_EQ(result.round_s, expected.round_s) << exchange->name << lost_s;
        }
      }
    }
  }
}

// It sends 10 GB of each round at 0.1 GB/s.
TEST(Fates, ASiteThatALeaderHearsLateKeepsThePaceOfItsLine) {
  WideArea area = three_sites();
  area.sites[2].uplink = Bandwidth::from_base(0.1 * kGB);
  RoundShape shape = ten_steps(&exchanges::leader);
  shape.overlap_steps = 1;
  shape.delayed = true;
  shape.rounds = 3;
  const RoundResult result = simulate_round(area, shape, {.quorum = 2, .grace = 1_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  EXPECT_NEAR(result.round_s, 10, 1e-6);
  EXPECT_NEAR(result.period_s(2), 100, 1e-6);
}

// Nobody but the leader is there by the deadline. The others hand in 1000 GB each, over its
// line of 10 GB/s.
TEST(Fates, SitesThatALeaderIsAloneWithoutShareItsLine) {
  RoundShape shape = ten_steps(&exchanges::leader);
  shape.overlap_steps = 1;
  shape.delayed = true;
  shape.rounds = 3;
  for (SiteWork& work : shape.sites) work.whole_bytes = 1000 * kGB;
  const RoundResult result = simulate_round(three_sites(), shape, {.deadline = 20_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  ASSERT_EQ(result.events.size(), 1u);
  EXPECT_TRUE(result.events.front().starts_with("b, c: ")) << result.events.front();
  for (const std::size_t place : {1u, 2u}) EXPECT_GE(result.period_s(place), 200 * (1 - 1e-9));
}

// What a site hands in late counts in a later sum; one whose line is down for good hands in nothing.
TEST(Fates, ASiteThatALeaderNeverHearsIsGone) {
  WideArea area = three_sites();
  area.sites[2].variation.changes = {{1_s, 0}};
  RoundShape shape = ten_steps(&exchanges::leader);
  shape.overlap_steps = 1;
  shape.delayed = true;
  shape.rounds = 3;
  const RoundResult result = simulate_round(area, shape, {.quorum = 2, .grace = 1_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  EXPECT_EQ(result.shape.fate(2), Fate::gone);
}

}  // namespace
}  // namespace sim
