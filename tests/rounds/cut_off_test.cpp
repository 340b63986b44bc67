// SPDX-License-Identifier: Apache-2.0
// Sites that the others do not reach over dead links, or whose line is down for good, are lost for them,
// like sites that drop out.
#include "sim/rounds/cut_off.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

// Those whose values pass links between sites.
const Exchange* const kDirect[]{
    &exchanges::flat_ring,  &exchanges::ring,        &exchanges::quantized_ring,
    &exchanges::all_to_all, &exchanges::all_gather,  &exchanges::grouped_gather,
    &exchanges::leader,     &exchanges::tree_gather, &exchanges::pair};

WideArea with_dead_links(WideArea area, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    std::ranges::find(area.links, name, &WideLink::name)->dead = true;
  }
  return area;
}

// Sites with links of 10 GB/s of their own.
WideArea linked(int count) {
  return sites_with_links(count, [](int, int) { return 10.0; });
}

RoundShape rounds_of(const Exchange* exchange, int places) {
  RoundShape shape = equal_rounds(exchange, places, 10, 12 * kGB);
  shape.rounds = shape.cycle();
  return shape;
}

TEST(CutOff, OnlyADeadlineEndsARoundOfTwoSitesWithADeadLink) {
  const WideArea area = with_dead_links(linked(2), {"ab"});
  for (const Exchange* exchange : kDirect) {
    const RoundResult forever = simulate_round(area, rounds_of(exchange, 2));
    EXPECT_EQ(forever.outcome, RoundOutcome::aborted) << exchange->name;
    EXPECT_EQ(forever.reasons,
              std::vector<std::string>{
                  "b: cannot be reached: links.ab is dead, and no site passes its traffic on"});
    ASSERT_EQ(forever.events.size(), 1u);
    EXPECT_TRUE(forever.events[0].ends_with("; the others wait forever: set a `deadline`"));
    const RoundResult limited = simulate_round(area, rounds_of(exchange, 2), {.deadline = 30_s});
    EXPECT_EQ(limited.outcome, RoundOutcome::partial) << exchange->name;
    EXPECT_NEAR(limited.round_s, 30, 1e-6) << exchange->name;
    EXPECT_TRUE(limited.events[0].ends_with("; the others go on without it"));
  }
}

// Whichever of the two drops out.
TEST(CutOff, ASiteIsNotCutOffFromOneThatIsGone) {
  for (const Exchange* exchange : kDirect) {
    for (const std::size_t gone : {0u, 1u}) {
      WideArea area = with_dead_links(linked(2), {"ab"});
      area.sites[gone].drops_out = 1_s;
      const RoundResult result = simulate_round(area, rounds_of(exchange, 2), {.deadline = 30_s});
      EXPECT_EQ(result.outcome, RoundOutcome::partial) << exchange->name << gone;
      EXPECT_EQ(result.shape.fates[gone], Fate::gone) << exchange->name;
      EXPECT_NEAR(result.round_s, 30, 1e-6) << exchange->name << gone;
    }
  }
}

// As if the two had dropped out at the start.
TEST(CutOff, TheLargerPartGoesOn) {
  const WideArea area = with_dead_links(linked(5), {"ac", "ad", "ae", "bc", "bd", "be"});
  WideArea left = linked(5);
  left.sites[0].drops_out = left.sites[1].drops_out = Seconds{};
  for (const Exchange* exchange : kDirect) {
    const Patience patience{.deadline = 30_s};
    const RoundResult result = simulate_round(area, rounds_of(exchange, 5), patience);
    EXPECT_EQ(result.outcome, RoundOutcome::partial) << exchange->name;
    EXPECT_EQ(result.shape.fate(0), Fate::gone);
    EXPECT_EQ(result.shape.fate(1), Fate::gone);
    EXPECT_EQ(result.round_s, simulate_round(left, rounds_of(exchange, 5), patience).round_s)
        << exchange->name;
    EXPECT_EQ(result.events.size(), 2u) << "each has other dead links";
  }
}

// c passes on what a and b send each other until it drops out: before the exchange, or in the middle.
TEST(CutOff, WhoeverOnlyALostSiteReachesIsLostWithIt) {
  WideArea area = with_dead_links(linked(3), {"ab"});
  for (const double drops_s : {5.0, 10.5}) {
    area.sites[2].drops_out = Seconds::from_base(drops_s);
    for (const Exchange* exchange : {&exchanges::ring, &exchanges::all_to_all,
                                     &exchanges::all_gather, &exchanges::tree_gather}) {
      RoundResult result = simulate_round(area, rounds_of(exchange, 3));
      EXPECT_EQ(result.outcome, RoundOutcome::aborted) << exchange->name;
      result = simulate_round(area, rounds_of(exchange, 3), {.deadline = 30_s});
      EXPECT_EQ(result.outcome, RoundOutcome::partial) << exchange->name;
      EXPECT_NEAR(result.round_s, 30, 1e-6) << exchange->name;
      ASSERT_EQ(result.events.size(), 2u) << exchange->name;
      const bool says_c_first = result.events[0].starts_with("c: drops out at ");
      EXPECT_EQ(result.events[says_c_first ? 1 : 0],
                "b: cannot be reached: links.ab is dead, and without c no site passes its traffic "
                "on; the others go on without it");
    }
  }
}

// Whoever would meet it does not wait for it.
TEST(CutOff, ALineThatStaysDownIsASiteThatDropsOut) {
  for (const double lost_s : {1.0, 10.5}) {
    WideArea drops = linked(4), down = linked(4);
    drops.sites[1].drops_out = Seconds::from_base(lost_s);
    down.sites[1].variation.changes = {{0.5_s, 0.5}, {Seconds::from_base(lost_s), 0}};
    for (const Exchange* exchange : kDirect) {
      for (const auto& deadline : {std::optional<Seconds>(), std::optional(30_s)}) {
        const RoundShape shape = rounds_of(exchange, 4);
        const RoundResult result = simulate_round(down, shape, {.deadline = deadline});
        const RoundResult expected = simulate_round(drops, shape, {.deadline = deadline});
        EXPECT_EQ(result.outcome, expected.outcome) << exchange->name << lost_s;
        if (deadline) {
          EXPECT_NEAR(result.round_s, expected.round_s, 1e-6) << exchange->name;
        }
        ASSERT_FALSE(result.events.empty()) << exchange->name;
        EXPECT_TRUE(result.events[0].starts_with("b: its line goes down for good at ") ||
                    result.events[0].find("does not finish") != std::string::npos)
            << result.events[0];
      }
    }
  }
}

// Of two sites whose link goes down, as of three: what the reason tells to set is what ends the round, be
// there a deadline or not.
TEST(CutOff, ALinkThatStaysDownNamesARemedyThatHelps) {
  for (const Exchange* exchange :
       {&exchanges::ring, &exchanges::quantized_ring, &exchanges::all_to_all,
        &exchanges::all_gather, &exchanges::tree_gather, &exchanges::pair}) {
    for (const int sites : {2, 3}) {
      WideArea area = linked(sites);
      WideLink& link = *std::ranges::find(area.links, "ab", &WideLink::name);
      link.variation.changes = {{1_s, 0}};
      for (const auto& deadline : {std::optional<Seconds>(), std::optional(30_s)}) {
        if (exchange->joins_two && sites == 3 && deadline) continue;  // both have another partner
        const RoundResult result =
            simulate_round(area, rounds_of(exchange, sites), {.deadline = deadline});
        EXPECT_EQ(result.outcome, RoundOutcome::aborted);
        ASSERT_EQ(result.events.size(), 1u);
        EXPECT_TRUE(result.events[0].ends_with(
            sites == 3 ? "(links.ab.bandwidth) is down or too slow; with `set` links.ab.dead=true, "
                         "other sites pass its traffic on"
                       : "(links.ab.bandwidth) is down or too slow; `set` sites.b.count=0 leaves "
                         "one of its ends out"))
            << exchange->name << ": " << result.events[0];
      }
      link.dead = sites == 3;
      const WideArea helped = sites == 3 ? area : with_counts(area, std::vector{1, 0});
      const RoundShape shape = rounds_of(exchange, place_count(helped));
      EXPECT_EQ(simulate_round(helped, shape).outcome, RoundOutcome::complete) << exchange->name;
    }
  }
}

}  // namespace
}  // namespace sim
