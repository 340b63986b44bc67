// SPDX-License-Identifier: Apache-2.0
// Routing of tokens to experts: laws that hold for every distribution, and closed forms.
#include "sim/workload/routing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <numbers>
#include <numeric>

#include "tests/input_errors.hpp"

namespace sim {
namespace {

using RoutingKind = ExpertRouting::Kind;

constexpr double kTokens = 16384;
const ExpertRouting kRandom{.kind = RoutingKind::random};

ExpertRouting power_law(double exponent) {
  return {.kind = RoutingKind::power_law, .exponent = exponent};
}

ExpertRouting measured(std::vector<double> loads) {
  const double sum = std::reduce(loads.begin(), loads.end());
  for (double& load : loads) load /= sum;
  return {.kind = RoutingKind::measured, .shares = std::move(loads)};
}

// Loads from 1 to 2 of `experts`.
ExpertRouting slope(int experts) {
  std::vector<double> loads;
  for (int i = 0; i < experts; ++i) loads.push_back(1 + static_cast<double>(i) / experts);
  return measured(loads);
}

struct GroupSize {
  int experts, top_k, ranks, nodes;
};
constexpr GroupSize kGroupSizes[]{{8, 2, 1, 1},    {8, 2, 2, 1},    {8, 2, 8, 1},     {16, 1, 4, 2},
                                  {64, 6, 8, 2},   {128, 8, 64, 8}, {256, 8, 64, 16}, {4, 4, 4, 2},
                                  {512, 22, 8, 8}, {1, 1, 1, 1},    {384, 8, 32, 4}};

std::vector<ExpertRouting> all_routings(int experts) {
  return {{},
          kRandom,
          {.kind = RoutingKind::cyclic},
          power_law(0.5),
          power_law(1),
          power_law(1.2),
          power_law(3),
          slope(experts)};
}

Routed routed(const ExpertRouting& routing, const GroupSize& s, double tokens = kTokens) {
  return route(routing, s.experts, s.top_k, s.ranks, s.nodes, tokens);
}

ExpertRouting limited(ExpertRouting routing, double capacity) {
  routing.capacity = capacity;
  return routing;
}

TEST(ExpertRouting, ByTurnsKeepsTheExpertsOfATokenTogether) {
  const ExpertRouting cyclic{.kind = RoutingKind::cyclic};
  // Qwen3 30B A3B on 8 ranks: 8 of the 16 experts of one. gpt-oss-120b on 64: 4 are on two of 2.
  EXPECT_EQ(routed(cyclic, {128, 8, 8, 1}).to_ranks, 1);
  EXPECT_EQ(routed(cyclic, {128, 4, 64, 8}).to_ranks, 2);
  // Kimi K2 on 32: the tokens begin at 0, 8 and 4 of 12 experts in turn.
  EXPECT_NEAR(routed(cyclic, {384, 8, 32, 4}).to_ranks, 4.0 / 3, 1e-12);
  EXPECT_EQ(routed(cyclic, {384, 8, 32, 4}).busiest, 1);
  EXPECT_EQ(routed(cyclic, {8, 8, 8, 1}).to_ranks, 8);
}

TEST(ExpertRouting, StaysWithinItsBounds) {
  for (const GroupSize& s : kGroupSizes) {
    for (const ExpertRouting& plain : all_routings(s.experts)) {
      for (const double capacity : {0.0, 1.25}) {
        for (const double tokens : {64.0, kTokens}) {
          if (plain.kind == RoutingKind::measured && s.experts == s.top_k) continue;
          const Routed r = routed(limited(plain, capacity), s, tokens);
          SCOPED_TRACE(to_text(plain) + " " + std::to_string(s.experts) + "/" +
                       std::to_string(s.ranks) + " x" + std::to_string(capacity));
          EXPECT_GE(r.busiest, 1);
          EXPECT_LE(r.busiest, s.ranks * (1 + 1e-12));
          EXPECT_GE(r.dropped, 0);
          EXPECT_LE(r.dropped, 1);
          EXPECT_GE(r.to_ranks, 1 - 1e-12);
          EXPECT_LE(r.to_ranks, std::min(s.top_k, s.ranks) * (1 + 1e-9));
          EXPECT_LE(r.to_nodes, std::min(s.top_k, s.nodes) * (1 + 1e-9));
          EXPECT_LE(r.to_nodes, r.to_ranks * (1 + 1e-9));
        }
      }
    }
  }
}

TEST(ExpertRouting, OfOneRankIsAllOnes) {
  for (const ExpertRouting& routing : all_routings(8)) {
    const Routed r = route(routing, 8, 2, 1, 1, kTokens);
    EXPECT_EQ(r.busiest, 1);
    EXPECT_EQ(r.dropped, 0);
    EXPECT_EQ(r.to_ranks, 1);
    EXPECT_EQ(r.to_nodes, 1);
  }
}

TEST(ExpertRouting, BalancedGoesToAsManyRanksAsThereCanBe) {
  const Routed r = route({.capacity = 1}, 64, 6, 8, 2, kTokens);
  EXPECT_EQ(r.busiest, 1);
  EXPECT_EQ(r.dropped, 0);
  EXPECT_EQ(r.to_ranks, 6);
  EXPECT_EQ(r.to_nodes, 2);
}

// Two of 8 experts on 2 nodes: none of 4 with (4 x 3) / (8 x 7).
TEST(ExpertRouting, AtRandomVisitsHypergeometrically) {
  const Routed r = route(kRandom, 8, 2, 8, 2, kTokens);
  EXPECT_NEAR(r.to_ranks, 2, 1e-12);
  EXPECT_NEAR(r.to_nodes, 2 * (1 - 12.0 / 56), 1e-12);
}

// DeepSeek-V3's 8 of 256 experts, in 4 of 8 groups, a group on each node: a chosen node has none of them
// where all 8 of 128 are among the other 96.
TEST(ExpertRouting, AtRandomVisitsTheNodesOfTheChosenGroups) {
  double none = 1;
  for (int i = 0; i < 8; ++i) none *= (96.0 - i) / (128 - i);
  const GroupLimit limit{.groups = 8, .chosen = 4};
  EXPECT_NEAR(route(kRandom, 256, 8, 64, 8, kTokens, limit).to_nodes, 4 * (1 - none), 1e-9);
  // Two groups on each of 4 nodes: with one chosen as before, with both none of 64.
  double neither = 1;
  for (int i = 0; i < 8; ++i) neither *= (64.0 - i) / (128 - i);
  const double one = 2 * (4.0 / 8) * (4.0 / 7);
  const double both = (4.0 / 8) * (3.0 / 7);
  EXPECT_NEAR(route(kRandom, 256, 8, 64, 4, kTokens, limit).to_nodes,
              4 * (one * (1 - none) + both * (1 - neither)), 1e-9);
  EXPECT_EQ(route({}, 256, 8, 64, 8, kTokens, limit).to_nodes, 4);
  EXPECT_EQ(route({}, 256, 8, 64, 8, kTokens, limit).to_ranks, 8);
}

TEST(ExpertRouting, FewerGroupsVisitFewerPlacesAndFluctuateMore) {
  for (const ExpertRouting& routing : all_routings(256)) {
    Routed before{.busiest = 1, .to_ranks = 64, .to_nodes = 8};
    for (const int chosen : {8, 4, 2, 1}) {
      const Routed now = route(routing, 256, 8, 64, 8, kTokens, {.groups = 8, .chosen = chosen});
      EXPECT_LE(now.to_ranks, before.to_ranks * (1 + 1e-9));
      EXPECT_LE(now.to_nodes, before.to_nodes * (1 + 1e-9));
      EXPECT_LE(now.to_nodes, chosen * (1 + 1e-9));
      EXPECT_GE(now.busiest, before.busiest);
      before = now;
    }
  }
}

TEST(ExpertRouting, OfAllGroupsIsOfNone) {
  for (const ExpertRouting& routing : all_routings(128)) {
    const Routed none = route(routing, 128, 8, 16, 4, kTokens);
    const Routed all = route(routing, 128, 8, 16, 4, kTokens, {.groups = 8, .chosen = 8});
    EXPECT_NEAR(all.busiest, none.busiest, 1e-9);
    EXPECT_NEAR(all.to_ranks, none.to_ranks, 1e-9);
    EXPECT_NEAR(all.to_nodes, none.to_nodes, 1e-9);
  }
}

// All rows at 30 of 128 experts that are spread over 4 groups, of which a token chooses one.
TEST(ExpertRouting, HoldsForLoadsOfOtherGroups) {
  std::vector<double> loads(128, 0);
  for (std::size_t i = 0; i < 30; ++i) loads[4 * i] = 1;
  const Routed r = route(measured(loads), 128, 30, 32, 4, kTokens, {.groups = 4, .chosen = 1});
  EXPECT_NEAR(r.to_nodes, 1, 1e-9);
  EXPECT_GE(r.to_ranks, 1);
  EXPECT_LE(r.to_ranks, 8 * (1 + 1e-9));
}

// Of a token's rows, two ranks have their shares +- the same number; of the larger one the expected
// excess is deviation x sqrt(2 / pi), of a normal number's size.
TEST(ExpertRouting, AtRandomFluctuatesByTheRootOfTheTokens) {
  const double variance = 0.25;  // of a token's one row on one of two ranks
  for (const double tokens : {100.0, 10'000.0}) {
    const double excess =
        std::sqrt(variance / tokens) * std::sqrt(2 / std::numbers::pi) / 0.5;  // over the mean
    EXPECT_NEAR(route(kRandom, 8, 1, 2, 1, tokens).busiest, 1 + excess, 1e-4 * excess);
  }
}

TEST(ExpertRouting, BecomesBalancedWithManyTokensOrASteepLaw) {
  for (const GroupSize& s : kGroupSizes) {
    EXPECT_NEAR(routed(kRandom, s, 1e15).busiest, 1, 1e-5);
    const Routed steep = routed(power_law(100), s);
    EXPECT_NEAR(steep.busiest, 1, 0.06);
    EXPECT_NEAR(steep.to_ranks, routed(kRandom, s).to_ranks, 0.01);
  }
}

// From exponent 2 on; below, the popular experts of a flatter law are more, and less alone.
TEST(ExpertRouting, IsMoreBalancedTheSteeperTheLaw) {
  for (const GroupSize& s : kGroupSizes) {
    double before = s.ranks;
    for (const double exponent : {2.0, 3.0, 5.0, 10.0, 30.0}) {
      const double now = routed(power_law(exponent), s).busiest;
      EXPECT_LE(now, before) << exponent;
      before = now;
    }
  }
}

// A share that goes from an expert to one of a rank with more load skews the ranks.
TEST(ExpertRouting, SkewNeverLowersTheBusiest) {
  double before = 1;
  for (const double moved : {0.0, 0.1, 0.3, 0.6, 1.0}) {
    const double now =
        route(measured({1, 1, 1 - moved, 1, 1, 1, 1, 1 + moved}), 8, 2, 4, 2, 1).busiest;
    EXPECT_GE(now, before);
    EXPECT_NEAR(now, (2 + moved) / 2, 1e-12);
    before = now;
  }
}

TEST(ExpertRouting, KnowsNoOrderOfExpertsInARank) {
  const Routed one = route(measured({1, 2, 3, 4, 5, 6, 7, 8}), 8, 2, 2, 2, kTokens);
  const Routed other = route(measured({4, 2, 1, 3, 6, 5, 8, 7}), 8, 2, 2, 2, kTokens);
  EXPECT_NEAR(one.busiest, other.busiest, 1e-12);
  EXPECT_NEAR(one.to_ranks, other.to_ranks, 1e-12);
}

TEST(ExpertRouting, MeasuredEqualLoadsVisitAsAtRandom) {
  for (const GroupSize& s : kGroupSizes) {
    const auto count = static_cast<std::size_t>(s.experts);
    const Routed equal = routed(measured(std::vector<double>(count, 7)), s);
    EXPECT_NEAR(equal.busiest, 1, 1e-9);
    EXPECT_NEAR(equal.to_ranks, routed(kRandom, s).to_ranks, 1e-9);
  }
}

TEST(ExpertRouting, MoreCapacityNeverDropsMore) {
  for (const GroupSize& s : kGroupSizes) {
    for (const ExpertRouting& routing : all_routings(s.experts)) {
      if (routing.kind == RoutingKind::measured && s.experts == s.top_k) continue;
      double before = 1;
      for (const double capacity : {1.0, 1.5, 4.0, 1000.0}) {
        const double now = routed(limited(routing, capacity), s).dropped;
        EXPECT_LE(now, before + 1e-12) << capacity;
        before = now;
      }
      EXPECT_NEAR(before, 0, 1e-9);
      EXPECT_EQ(routed(routing, s).dropped, 0);
    }
  }
}

// Shares 0.4, 0.3, 0.2, 0.1 at most 0.3 each: 0.1 of the rows is dropped; of two ranks the first keeps
// 0.6 of 0.9.
TEST(ExpertRouting, DropsWhatIsAboveTheCapacity) {
  const ExpertRouting loads = measured({0.4, 0.3, 0.2, 0.1});
  const Routed r = route(limited(loads, 1.2), 4, 1, 2, 1, kTokens);
  EXPECT_NEAR(r.dropped, 0.1, 1e-12);
  EXPECT_NEAR(r.busiest, 0.6 / 0.45, 1e-12);
  EXPECT_NEAR(route(limited(loads, 1.6), 4, 1, 2, 1, kTokens).dropped, 0, 1e-12);
}

// At a capacity of the mean, half of the mean deviation of a normal number is above it.
TEST(ExpertRouting, AtRandomDropsHalfOfTheDeviationAtTheMean) {
  const double mean = 1024;  // of 8192 tokens of a rank at one of 8 experts
  const double deviation = std::sqrt(mean * 7 / 8);
  EXPECT_NEAR(route(limited(kRandom, 1), 8, 1, 2, 1, kTokens).dropped,
              deviation / std::sqrt(2 * std::numbers::pi) / mean, 1e-9);
}

// An expert's rows are at most the tokens: with 8 experts, 2 for each token, 4 times the mean.
TEST(ExpertRouting, AnExpertHasAtMostARowOfEachToken) {
  EXPECT_LE(route(power_law(1.2), 8, 2, 8, 1, 1e6).busiest, 4);
  EXPECT_GT(route(power_law(1.2), 8, 1, 8, 1, 1e6).busiest, 4);
}

TEST(ExpertRoutingText, IsReadAsItIsWritten) {
  for (const char* text : {"balanced", "random", "power_law:1.2", "power_law:0.5"}) {
    EXPECT_EQ(to_text(parse_routing(text, "`routing`")), text);
  }
  for (const char* text : {"", "Balanced", "power_law", "power_law:", "power_law:0", "power_law:-1",
                           "power_law:nan", "power_law:inf", "power_law:1.2x", "zipf:1"}) {
    const std::string error = input_error_of([&] { (void)parse_routing(text, "`routing`"); });
    EXPECT_TRUE(error.starts_with("`routing`: '")) << text << ": " << error;
    EXPECT_EQ(lines_of(error).size(), 1U) << text;
  }
}

TEST(ExpertRoutingText, ReadsLoadsOfExperts) {
  const ExpertRouting rows =
      routing_of_loads("# layer 3\n10\n20 # the second\n\n30, 40\r\n", "loads.csv");
  EXPECT_EQ(rows.kind, RoutingKind::measured);
  EXPECT_EQ(rows.shares, (std::vector<double>{0.1, 0.2, 0.3, 0.4}));
  EXPECT_EQ(to_text(rows), "loads.csv");
}

TEST(ExpertRoutingText, RefusesFilesWithoutLoads) {
  for (const char* text : {"", "# none\n", "0\n0\n", "1e308\n1e308\n"}) {
    const std::string error = input_error_of([&] { (void)routing_of_loads(text, "loads.csv"); });
    EXPECT_TRUE(error.starts_with("loads.csv: has ")) << error;
    EXPECT_EQ(lines_of(error).size(), 1U);
  }
  for (const char* text : {"1\n-1\n", "1\nnan\n", "1\ninf\n", "1\nexpert\n", "1\n1e999\n"}) {
    const std::string error = input_error_of([&] { (void)routing_of_loads(text, "loads.csv"); });
    EXPECT_TRUE(error.starts_with("loads.csv:2: '")) << error;
    EXPECT_EQ(lines_of(error).size(), 1U);
  }
}

TEST(ExpertRoutingProblem, IsOneLineWithItsField) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(problem_of({}, 0, 1), "");
  EXPECT_EQ(problem_of(slope(8), 8, 2), "");
  for (const double capacity : {0.5, -1.0, nan, infinity}) {
    EXPECT_TRUE(problem_of({.capacity = capacity}, 8, 2).starts_with("`capacity-factor`: "));
  }
  EXPECT_TRUE(problem_of({.capacity = 2}, 0, 1).starts_with("`capacity-factor`: "));
  EXPECT_TRUE(problem_of(kRandom, 0, 1).starts_with("`routing`: "));
  EXPECT_TRUE(problem_of(slope(8), 16, 2).starts_with("`routing`: "));
  EXPECT_TRUE(problem_of(power_law(nan), 8, 2).starts_with("`routing`: "));
  EXPECT_TRUE(problem_of(measured({3, 1, 1, 1}), 4, 3).starts_with("`routing`: "));
}

}  // namespace
}  // namespace sim
