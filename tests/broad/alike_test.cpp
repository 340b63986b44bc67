// SPDX-License-Identifier: Apache-2.0
// One rank for all that do the same: the classes, and that the times are those of every rank.
#include "sim/schedule/alike.hpp"

#include <gtest/gtest.h>

#include "tests/schedule/alike_steps.hpp"
#include "tests/schedule/whole_step.hpp"

namespace sim {
namespace {

using Ids = std::vector<std::uint32_t>;

// Ranks, each with a link of its own, and groups whose flows cross the links of their members.
struct Touching : Incidence {
  explicit Touching(std::size_t ranks) : of_ranks(ranks), of_links(ranks) {}

  [[nodiscard]] AlikeParts alike() const { return alike_parts(*this, of_ranks, of_links); }

  std::vector<Kind> of_ranks, of_links;  // kinds
};
// The first flow has so many shares on its first link.
Touching incidence(std::size_t ranks, const std::vector<std::vector<std::uint32_t>>& groups,
                   std::uint32_t role_of_second = 0, int shares = 1) {
  Touching all(ranks);
  for (const auto& members : groups) {
    all.legs.push_back({.group = static_cast<std::uint32_t>(all.groups.size())});
    all.groups.push_back(0);
    std::vector<Member> ranks_of;
    std::vector<Crossing> links_of;
    for (const std::uint32_t rank : members) {
      ranks_of.push_back({rank, ranks_of.size() == 1 ? role_of_second : 0});
      links_of.push_back({rank});
    }
    if (all.groups.size() == 1) links_of.front().times = shares;
    all.members.add(ranks_of);
    all.links.add(links_of);
    all.senders.add(std::vector<std::int32_t>());
  }
  return all;
}

TEST(AlikeParts, OfEqualGroupsAreOneClass) {
  const AlikeParts alike = incidence(6, {{0, 1}, {2, 3}, {4, 5}}).alike();
  EXPECT_EQ(alike.ranks.of, Ids(6, 0));
  EXPECT_EQ(alike.ranks.sizes, Ids{6});
  EXPECT_EQ(alike.links.first, Ids{0});
  EXPECT_EQ(alike.groups.sizes, Ids{3});
  EXPECT_EQ(alike.legs.sizes, Ids{3});
}

TEST(AlikeParts, AreToldApartByWhatTheyTouchHoweverFarAway) {
  // A chain: its ends are alike, and so on inwards; and the ranks that nothing joins.
  const AlikeParts alike = incidence(7, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}).alike();
  EXPECT_EQ(alike.ranks.of, (Ids{0, 1, 2, 1, 0, 3, 3}));
  EXPECT_EQ(alike.groups.of, (Ids{0, 1, 1, 0}));
  EXPECT_TRUE(alike.ranks.is_first(2));
  EXPECT_FALSE(alike.ranks.is_first(4));
}

TEST(AlikeParts, AreToldApartByOneRankOrOneLink) {
  Touching all = incidence(6, {{0, 1}, {2, 3}, {4, 5}});
  all.of_links[2] = 1;
  EXPECT_EQ(all.alike().ranks.of, (Ids{0, 0, 1, 1, 0, 0})) << "both send over it";
  all.of_links[2] = 0;
  all.of_ranks[5] = 1;
  EXPECT_EQ(all.alike().ranks.of, (Ids{0, 0, 0, 0, 1, 2}));
}

TEST(AlikeParts, AreToldApartByRolesAndShares) {
  EXPECT_EQ(incidence(4, {{0, 1}, {2, 3}}, 1).alike().ranks.of, (Ids{0, 1, 0, 1}));
  EXPECT_EQ(incidence(4, {{0, 1}, {2, 3}}, 1, 2).alike().ranks.of, (Ids{0, 1, 2, 3}));
}

TEST(AlikeRanks, TakeAsLongAsEveryRankInRandomSteps) {
  StepDraw random(3, 1, even_sizes(32));
  int whole = 0;
  constexpr int kSteps = 24;
  for (int i = 0; i < kSteps; ++i) {
    const StepPoint point = random.draw();
    const AlikeStep step = compare_alike(point);
    whole += step.classes == step.ranks;
    if (step.apart > kSame) continue;
    EXPECT_LE(step.difference, kMostApart) << to_text(point);
  }
  EXPECT_LT(whole * 10, kSteps);
}

TEST(AlikeRanks, TakeAsLongAsEveryRankWhereNodesDiffer) {
  // Partly filled leaves, groups that lie unevenly, and GPUs of different speed.
  StepDraw random(4, 1);
  for (int i = 0; i < 16; ++i) {
    const StepPoint point = random.draw();
    const AlikeStep step = compare_alike(point);
    if (step.apart > kSame) continue;
    EXPECT_LE(step.difference, kMostApart) << to_text(point);
  }
}

TEST(AlikeRanks, AreAsSlowAsTheSlowestGpu) {
  DrawnSizes sizes = even_sizes(32);
  sizes.speed_spread = {0.015, 0.05};
  StepDraw random(6, 1, sizes);
  int pipelines = 0, close = 0;
  for (int i = 0; i < 20; ++i) {
    const StepPoint point = random.draw();
    const AlikeStep step = compare_alike(point);
    if (point.parallelism.pipeline == 1) {
      EXPECT_NEAR(step.alike_s / step.whole_s, 1, 0.005) << to_text(point);
      continue;
    }
    // Stages that drift apart meet on other links at other times, which moves a few steps further.
    ++pipelines;
    close += std::abs(step.alike_s / step.whole_s - 1) < 0.005 ? 1 : 0;
  }
  EXPECT_GT(pipelines, 6);
  EXPECT_GE(close * 10, pipelines * 7);
}

TEST(AlikeRanks, SendWhatEveryRankSendsOnAverage) {
  StepDraw random(5, 1, even_sizes(32));
  const Calibration calibration = roofline();
  for (int i = 0; i < 12; ++i) {
    const StepPoint point = random.draw();
    StepContext context{point.cluster, point.model, calibration, point.parallelism, Detail::folded};
    const WireBytes few = mean_sent(plan_step(context, *point.scheme).schedule);
    const WireBytes all = mean_sent(whole_step(context, *point.scheme));
    EXPECT_NEAR(few.intra_node, all.intra_node, 1e-9 * all.intra_node) << to_text(point);
    EXPECT_NEAR(few.inter_node, all.inter_node, 1e-9 * all.inter_node) << to_text(point);
  }
}

}  // namespace
}  // namespace sim
