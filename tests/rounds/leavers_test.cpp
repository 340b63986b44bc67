// SPDX-License-Identifier: Apache-2.0
// Sites that drop out before they are heard: the others are judged, and a quorum counted, without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

// The leader or the syncer has the first site's values soon, and those of c, which is late, at 111 s; b is
// gone, and nobody knows: the grace of 2 s passes, and the sum takes a second to reach c.
TEST(Leavers, ASiteThatDropsOutIsNotInTheQuorum) {
  WideArea area = three_sites();
  area.syncer = Syncer{.uplink = Bandwidth::from_base(kUnlimited),
                       .downlink = Bandwidth::from_base(kUnlimited)};
  area.sites[1].drops_out = 5_s;
  for (const Exchange* exchange : {&exchanges::leader, &exchanges::syncer}) {
    RoundShape shape = ten_steps(exchange);
    shape.sites[2].start_s = 100;
    const RoundResult result = simulate_round(area, shape, {.quorum = 2, .grace = 2_s});
    EXPECT_EQ(result.outcome, RoundOutcome::partial) << exchange->name;
    EXPECT_EQ(result.shape.fates[1], Fate::gone) << exchange->name;
    EXPECT_NEAR(result.round_s, 100 + 10 + 1 + 2 + 1, 1e-6) << exchange->name;
    // Of three, two are not there: a quorum of two waits for ever.
    area.sites[2].drops_out = 5_s;
    EXPECT_EQ(simulate_round(area, shape, {.quorum = 2}).outcome, RoundOutcome::aborted);
    area.sites[2].drops_out = {};
  }
}

// Fragments beside steps, which no grace holds up: as if it had never been there.
TEST(Leavers, OverlappedFragmentsWaitForAQuorumOfThoseThatAreThere) {
  const auto played = [](const WideArea& area, int places) {
    RoundShape shape = equal_rounds(&exchanges::leader, places, 10, kGB);
    shape.fragments = 5;
    shape.overlap_steps = 2;
    shape.delayed = true;
    shape.rounds = 3;
    shape.sites.back().start_s = 100;
    return simulate_round(area, shape, {.quorum = 2});
  };
  WideArea area = three_sites();
  area.sites[1].drops_out = 5_s;
  const RoundResult lost = played(area, 3);
  area.sites.erase(area.sites.begin() + 1);
  EXPECT_EQ(lost.outcome, RoundOutcome::partial);
  EXPECT_EQ(lost.round_s, played(area, 2).round_s);
}

// With all three, each hears the others at 12 s; b drops out before, and the two that are left at 11 s.
TEST(Leavers, TheRollIsCalledOfThoseThatAreThere) {
  WideArea area = three_sites();
  area.sites[1].drops_out = 5_s;
  area.sites[2].drops_out = 11.5_s;  // after it has sent all to the only one that is left
  const RoundResult gathered =
      simulate_round(area, ten_steps(&exchanges::all_gather), {.deadline = 11.2_s});
  EXPECT_EQ(gathered.outcome, RoundOutcome::partial);
  EXPECT_EQ(gathered.shape.fates, (std::vector{Fate::heard, Fate::gone, Fate::heard}));
  EXPECT_NEAR(gathered.round_s, 11.2, 1e-6);
  // A quorum of two is full at 11 s, its grace over at 12 s; the sum takes a second to the other.
  area.sites[2].drops_out = {};
  for (const double deadline_s : {11.5, 12.5, 13.0, 30.0}) {
    const RoundResult led =
        simulate_round(area, ten_steps(&exchanges::leader),
                       {.deadline = Seconds::from_base(deadline_s), .quorum = 2, .grace = 1_s});
    EXPECT_EQ(led.shape.fates[1], Fate::gone) << deadline_s;
    EXPECT_NEAR(led.round_s, std::min(deadline_s, 12.0) + 1, 1e-6) << deadline_s;
  }
}

TEST(Leavers, ASiteThatIsLeftAloneIsLateForNobody) {
  for (const Exchange* exchange :
       {&exchanges::ring, &exchanges::all_gather, &exchanges::leader, &exchanges::pair}) {
    WideArea area = three_sites();
    area.sites[0].drops_out = 5_s;
    area.sites[1].drops_out = 6_s;
    RoundShape shape = ten_steps(exchange);
    shape.sites[2].start_s = 100;
    const RoundResult alone = simulate_round(area, shape, {.deadline = 30_s});
    EXPECT_EQ(alone.outcome, RoundOutcome::partial) << exchange->name;
    EXPECT_NEAR(alone.round_s, 110, 1e-6) << exchange->name;
    area.sites[2].drops_out = 7_s;
    const RoundResult nobody = simulate_round(area, shape, {.deadline = 30_s});
    EXPECT_EQ(nobody.outcome, RoundOutcome::aborted) << exchange->name;
    EXPECT_EQ(nobody.events.size(), 3u) << exchange->name;
  }
}

// The first site would have the others' values at 12 s, and they the sum at 14 s. Without it, b leads: it
// takes a second to hand in to b what is c's, and another one to send c the sum.
TEST(Leavers, WithoutTheirLeaderTheOthersBeginAnew) {
  WideArea area = three_sites();
  for (const double drops_s : {10.5, 11.5, 12.5, 13.5}) {
    area.sites[0].drops_out = Seconds::from_base(drops_s);
    const auto played = [&](const Patience& patience) {
      return simulate_round(area, ten_steps(&exchanges::leader), patience);
    };
    EXPECT_EQ(played({}).outcome, RoundOutcome::aborted);
    const RoundResult quorum = played({.quorum = 2});
    ASSERT_EQ(quorum.events.size(), 1u);
    EXPECT_NE(quorum.events[0].find(", during the exchange; the others go on"), std::string::npos)
        << quorum.events[0];
    EXPECT_EQ(quorum.shape.fates, (std::vector{Fate::gone, Fate::heard, Fate::heard}));
    EXPECT_NEAR(quorum.round_s, drops_s + 1 + 1, 1e-6) << drops_s;
    EXPECT_NEAR(played({.quorum = 2, .grace = 3_s}).round_s, drops_s + 1 + 3 + 1, 1e-6) << drops_s;
    // Nobody knows that it is gone: they wait for it until the deadline, unless that has passed.
    EXPECT_NEAR(played({.deadline = 30_s}).round_s, 30 + 1, 1e-6) << drops_s;
    if (drops_s > 13) {
      EXPECT_NEAR(played({.deadline = 13_s}).round_s, drops_s + 1 + 1, 1e-6);
    }
  }
}

// Its sum was of the first site's values and b's, without those of c, which is late. Now it needs them.
TEST(Leavers, WithoutTheirLeaderTheOthersNeedAQuorumAgain) {
  WideArea area = three_sites();
  area.sites[0].drops_out = 11.5_s;
  RoundShape shape = ten_steps(&exchanges::leader);
  shape.sites[2].start_s = 100;
  const RoundResult result = simulate_round(area, shape, {.quorum = 2});
  EXPECT_EQ(result.shape.fates, (std::vector{Fate::gone, Fate::heard, Fate::heard}));
  EXPECT_NEAR(result.round_s, 110 + 1 + 1, 1e-6);
  // The next leader is lost before it has sent the sum: c is alone, and is no quorum.
  shape.sites[2].start_s = 0;
  area.sites[1].drops_out = 13_s;
  EXPECT_EQ(simulate_round(area, shape, {.quorum = 2}).outcome, RoundOutcome::aborted);
  const RoundResult alone = simulate_round(area, shape, {.deadline = 30_s, .quorum = 2});
  EXPECT_EQ(alone.shape.fates, (std::vector{Fate::gone, Fate::gone, Fate::heard}));
  EXPECT_NEAR(alone.round_s, 30, 1e-6);
}

}  // namespace
}  // namespace sim
