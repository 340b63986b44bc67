// SPDX-License-Identifier: Apache-2.0
// What is reported of sites that meet in pairs depends on what they are, not on their names.
#include "sim/sites/pairings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

constexpr double kGigas = 1e9;

// Sites by number, whatever the order of their tables: each takes a second a step on its own line, and
// some pairs have a link of their own.
struct Sites {
  std::vector<double> step_s, line_GBps;
  std::vector<std::pair<int, int>> slow_pairs;
  double backbone_GBps = 9;  // of all other pairs
};

RoundResult played(const Sites& sites, const std::vector<int>& order) {
  const auto count = static_cast<int>(order.size());
  WideArea area = equal_sites(1, kGigas);
  const Site site = area.sites.front();
  area.sites.clear();
  area.backbone->bandwidth = Bandwidth::from_base(sites.backbone_GBps * kGigas);
  RoundShape shape = equal_rounds(&exchanges::pair, count, 10, 6 * kGigas);
  shape.rounds = pairing_count(count);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const auto number = static_cast<std::size_t>(order[place]);
    area.sites.push_back(site);
    area.sites.back().name = std::string(1, static_cast<char>('a' + place));
    area.sites.back().uplink = area.sites.back().downlink =
        Bandwidth::from_base(sites.line_GBps[number] * kGigas);
    SiteWork& work = shape.sites[place];
    work.step_s = work.needed_s = work.ready_s[0] = sites.step_s[number];
  }
  const auto name_of = [&](int number) {
    return area.sites[static_cast<std::size_t>(std::ranges::find(order, number) - order.begin())]
        .name;
  };
  for (const auto& [one, other] : sites.slow_pairs) {
    std::vector<std::string> between{name_of(one), name_of(other)};
    std::ranges::sort(between);
    area.links.push_back({.name = between[0] + between[1],
                          .between = between,
                          .bandwidth = Bandwidth::from_base(0.5 * kGigas)});
  }
  return simulate_round(area, shape);
}

Sites equal(int count) {
  return {std::vector<double>(static_cast<std::size_t>(count), 1),
          std::vector<double>(static_cast<std::size_t>(count), 2),
          {}};
}

void expect_same_in_all_orders(const Sites& sites, int tries) {
  std::vector<int> order(sites.step_s.size());
  std::iota(order.begin(), order.end(), 0);
  const RoundResult as_given = played(sites, order);
  for (int i = 0; i < tries; ++i) {
    std::rotate(order.begin(), order.begin() + 1 + i % (std::ssize(order) - 1), order.end());
    std::reverse(order.begin() + i % 2, order.end() - i % 3);
    const RoundResult other = played(sites, order);
    EXPECT_NEAR(other.round_s, as_given.round_s, 1e-9 * as_given.round_s);
    EXPECT_NEAR(other.timeline.makespan_s, as_given.timeline.makespan_s,
                1e-9 * as_given.timeline.makespan_s);
  }
}

TEST(Pairings, DoNotDependOnNames) {
  Sites four = equal(4);
  four.slow_pairs = {{0, 1}, {2, 3}, {0, 3}};
  expect_same_in_all_orders(four, 12);
  Sites seven = equal(7);
  seven.step_s = {1, 1, 1.1, 1.2, 1, 1, 1};
  seven.line_GBps = {2, 3, 2, 2, 3, 2, 1};
  seven.slow_pairs = {{0, 1}, {2, 6}};
  expect_same_in_all_orders(seven, 8);
}

// Of sites in two rings of five, joined by slow lines, no line and no step tells any apart.
TEST(Pairings, OfATournamentDoNotDependOnNames) {
  Sites ten = equal(10);
  for (int one = 0; one < 10; ++one) {
    for (int other = one + 1; other < 10; ++other) {
      if ((one < 5) != (other < 5)) ten.slow_pairs.emplace_back(one, other);
    }
  }
  expect_same_in_all_orders(ten, 8);
  ten.step_s[3] = 1.3;
  ten.line_GBps[4] = ten.line_GBps[8] = 1;
  ten.slow_pairs.emplace_back(0, 1);
  expect_same_in_all_orders(ten, 8);
}

// 3 s over their lines; of three pairings one or two have a slow pair, which takes 12 s.
TEST(Pairings, CountAsOftenAsTheyHappen) {
  EXPECT_NEAR(played(equal(2), {0, 1}).round_s, 10 + 3, 1e-6);
  Sites sites = equal(4);
  EXPECT_NEAR(played(sites, {0, 1, 2, 3}).round_s, 10 + 3, 1e-6);
  sites.slow_pairs = {{0, 1}};
  EXPECT_NEAR(played(sites, {0, 1, 2, 3}).round_s, 10 + (12 + 3 + 3) / 3.0, 1e-6);
  sites.slow_pairs = {{0, 1}, {2, 3}};
  EXPECT_NEAR(played(sites, {0, 1, 2, 3}).round_s, 10 + (12 + 3 + 3) / 3.0, 1e-6);
  sites.slow_pairs = {{0, 1}, {0, 2}};
  EXPECT_NEAR(played(sites, {0, 1, 2, 3}).round_s, 10 + (12 + 12 + 3) / 3.0, 1e-6);
}

// Of six sites a pair is one of the three of a pairing in 3 of 15, two disjoint ones in 1 of 15 both.
TEST(Pairings, OfSixSitesAreFifteen) {
  Sites sites = equal(6);
  sites.backbone_GBps = 12;  // as much as their lines
  sites.slow_pairs = {{0, 1}, {2, 3}};
  EXPECT_NEAR(played(sites, {0, 1, 2, 3, 4, 5}).round_s, 10 + 3 + (3 + 3 - 1) / 15.0 * (12 - 3),
              1e-6);
}

// A slower site is waited for in each round; that without a partner takes no time of the others.
TEST(Pairings, WaitForTheSlowestSite) {
  Sites sites = equal(3);
  sites.step_s = {1, 1, 2};
  // It ends at 23 s if it has a partner, and at 20 s alone.
  EXPECT_NEAR(played(sites, {0, 1, 2}).round_s, (23 + 23 + 20) / 3.0, 1e-6);
}

WideArea four_sites() {
  WideArea area = equal_sites(1, 2 * kGigas);
  area.sites.resize(4, area.sites.front());
  for (std::size_t i = 0; i < 4; ++i) {
    area.sites[i].name = std::string(1, static_cast<char>('a' + i));
  }
  return area;
}

RoundShape all_pairings_of_four() {
  RoundShape shape = equal_rounds(&exchanges::pair, 4, 10, 6 * kGigas);
  shape.rounds = pairing_count(4);
  return shape;
}

// In each pairing, as in one round.
TEST(Pairings, WaitForALateSite) {
  RoundShape shape = all_pairings_of_four();
  shape.sites[3].start_s = 5;
  EXPECT_NEAR(simulate_round(four_sites(), shape).round_s, 5 + 13, 1e-6);
  // It comes too late for its partner, who goes on alone at the deadline; in other pairings of the three
  // another one is alone.
  EXPECT_NEAR(simulate_round(four_sites(), shape, {.deadline = 14_s}).round_s, 14, 1e-6);
}

// Whoever sends and receives at 0.1 GB/s has no partner in time, and is late. Its partner goes on alone at
// the deadline; it is heard by the others in other rounds, so its tokens count. Of an odd number, one round
// of each three is without the late site: it has no partner, and the others take 3 s.
TEST(Pairings, APartnerOfALateSiteGoesOnAlone) {
  for (const int count : {3, 4}) {
    for (std::size_t slow = 0; slow < static_cast<std::size_t>(count); ++slow) {
      WideArea area = four_sites();
      area.sites.resize(static_cast<std::size_t>(count));
      area.sites[slow].uplink = area.sites[slow].downlink = Bandwidth::from_base(0.1 * kGigas);
      RoundShape shape = equal_rounds(&exchanges::pair, count, 10, 6 * kGigas);
      shape.rounds = pairing_count(count);
      const RoundResult result = simulate_round(area, shape, {.deadline = 20_s});
      EXPECT_EQ(result.outcome, RoundOutcome::partial);
      for (std::size_t place = 0; place < area.sites.size(); ++place) {
        EXPECT_EQ(result.is_heard(place), place != slow) << count << ", " << slow;
      }
      EXPECT_NEAR(result.round_s, count == 4 ? 20 : (20 + 20 + 13) / 3.0, 1e-6);
    }
  }
}

// Of two sites whose link is slow, both are heard by the third. Where they meet, they go on alone.
TEST(Pairings, ASlowLinkMakesNoSiteLate) {
  WideArea area = four_sites();
  area.sites.resize(3);
  area.links.push_back(
      {.name = "ab", .between = {"a", "b"}, .bandwidth = Bandwidth::from_base(0.1 * kGigas)});
  RoundShape shape = equal_rounds(&exchanges::pair, 3, 10, 6 * kGigas);
  shape.rounds = pairing_count(3);
  const RoundResult result = simulate_round(area, shape, {.deadline = 20_s});
  EXPECT_EQ(result.outcome, RoundOutcome::complete);
  EXPECT_NEAR(result.round_s, (20 + 13 + 13) / 3.0, 1e-6);
}

// 6 GB over lines of 2 GB/s, after ten steps.
TEST(Pairings, WithoutAPartnerInTimeNobodyGoesOn) {
  const RoundResult result =
      simulate_round(four_sites(), all_pairings_of_four(), {.deadline = 12_s});
  EXPECT_EQ(result.outcome, RoundOutcome::aborted);
  ASSERT_FALSE(result.events.empty());
  EXPECT_NE(result.events[0].find("too late at 13.0 s; no site is heard by then"),
            std::string::npos)
      << result.events[0];
}

TEST(Pairings, WaitForOneThatIsGoneUntilTheDeadline) {
  WideArea area = four_sites();
  area.sites[3].drops_out = 5_s;
  const RoundResult result = simulate_round(area, all_pairings_of_four(), {.deadline = 20_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  EXPECT_EQ(result.shape.rounds, 3);
  EXPECT_NEAR(result.round_s, 20, 1e-6);
}

}  // namespace
}  // namespace sim
