// SPDX-License-Identifier: Apache-2.0
// Work that is divided among unlike sites.
#include "sim/rounds/balance.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "sim/rounds/round_report.hpp"
#include "sim/times/roofline.hpp"
#include "tests/input_errors.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

TEST(SharesOfWork, AreInProportionToSpeeds) {
  using Shares = std::vector<int>;
  const std::vector<Pace> alike(3, {.each_s = 0.1});
  EXPECT_EQ(shares_of(3 * 17, alike, 1), (Shares{17, 17, 17}));
  EXPECT_EQ(shares_of(60, std::vector<Pace>{{.each_s = 1}, {.each_s = 2}}, 1), (Shares{40, 20}));
  EXPECT_EQ(shares_of(60, std::vector<Pace>{{.each_s = 2}, {.each_s = 1}}, 1), (Shares{20, 40}));
  // A unit of the first has three times the tokens: 3 x 18 + 6 of 60.
  EXPECT_EQ(shares_of(60, std::vector<Pace>{{.weight = 3, .each_s = 1}, {.each_s = 3}}, 1),
            (Shares{18, 6}));
  // Both end after 12 s: 2 + 10 x 1 and 4 + 4 x 2.
  EXPECT_EQ(shares_of(14, std::vector<Pace>{{.fixed_s = 2}, {.fixed_s = 4, .each_s = 2}}, 1),
            (Shares{10, 4}));
}

// What a slow site has more than its share, the others have less.
TEST(SharesOfWork, AreAtLeastTheLeast) {
  const std::vector<Pace> paces{{.each_s = 1}, {.each_s = 1}, {.each_s = 100}};
  EXPECT_EQ(shares_of(108, paces, 8), (std::vector<int>{50, 50, 8}));
  EXPECT_EQ(shares_of(24, paces, 8), (std::vector<int>{8, 8, 8}));
}

// Two nodes of 8 H100, the second at half the speed.
class BalancedSites : public testing::Test {
 protected:
  WideArea nodes(double speed = 0.5) const {
    WideArea area = equal_sites(1, 1e9);
    area.sites.front().cluster = part_of(cluster_, 1, 8);
    area.sites.push_back(area.sites.front());
    area.sites[0].name = "east";
    area.sites[1].name = "west";
    area.sites[1].speed = speed;
    return area;
  }
  static Scheme of_steps(std::string_view name, int steps) {
    Scheme scheme = scheme_named(name);
    if (!scheme.between_sites->gradients) scheme.between_sites->inner_steps = steps;
    return scheme;
  }
  RoundContext context(const WideArea& area, int accumulation = 1) const {
    return {area, model_, calibrations_, {.accumulation = accumulation}, sharded_};
  }
  static RoundContext divided(RoundContext given, const Scheme& scheme, Balance balance) {
    given.setups = balanced_setups(given, scheme, balance);
    return given;
  }
  static Report report(const RoundContext& given, const Scheme& scheme) {
    return summarize(given, scheme, simulate_round(given, scheme));
  }

  const Cluster cluster_ = read_cluster(source_directory() / "topologies/dgx_h100_x16.toml");
  const Model model_ = read_model(source_directory() / "traces/models/gpt_125m.toml");
  const std::vector<Calibration> calibrations_{2, roofline()};
  const Scheme& sharded_ = scheme_named("sharded");
};

TEST_F(BalancedSites, ThatAreAlikeHaveTheAnswerWithout) {
  const WideArea area = nodes(1);
  for (const char* name : {"diloco", "streaming_diloco", "wan_sync"}) {
    const Scheme scheme = of_steps(name, 30);
    for (const Balance balance : {Balance::steps, Balance::batch}) {
      const Report without = report(context(area, 3), scheme);
      const Report with = report(divided(context(area, 3), scheme, balance), scheme);
      EXPECT_EQ(with.time_s, without.time_s) << name;
      EXPECT_EQ(with.tokens_per_s, without.tokens_per_s) << name;
      EXPECT_EQ(with.round->by_site[1].setup, "") << name;
    }
  }
}

// 60 steps of both in two thirds of the time that the slow one takes for its 30.
TEST_F(BalancedSites, OfSpeedsTwoToOneTakeStepsTwoToOneAndDoNotWait) {
  const Scheme scheme = of_steps("diloco", 30);
  const WideArea area = nodes();
  const RoundContext balanced = divided(context(area), scheme, Balance::steps);
  const RoundResult result = simulate_round(balanced, scheme);
  EXPECT_EQ(result.shape.steps(0), 40);
  EXPECT_EQ(result.shape.steps(1), 20);
  const Report with = summarize(balanced, scheme, result), without = report(context(area), scheme);
  EXPECT_NEAR(with.time.bubble_s, 0, 1e-6);
  EXPECT_DOUBLE_EQ(with.round->tokens, without.round->tokens);
  EXPECT_EQ(with.wire_bytes_wan, without.wire_bytes_wan);
  const double slow_step_s = without.round->by_site[1].inner_step_s;
  EXPECT_NEAR(without.time_s - with.time_s, 10 * slow_step_s, 1e-6);
}

TEST_F(BalancedSites, OfSwappedNamesHaveTheSameRound) {
  const Scheme scheme = of_steps("diloco_int8", 31);
  const WideArea area = nodes(0.37);
  WideArea swapped = area;
  std::swap(swapped.sites[0].speed, swapped.sites[1].speed);
  const Report one = report(divided(context(area), scheme, Balance::steps), scheme);
  const Report other = report(divided(context(swapped), scheme, Balance::steps), scheme);
  EXPECT_DOUBLE_EQ(one.time_s, other.time_s);
  EXPECT_EQ(one.round->by_site[0].inner_steps, other.round->by_site[1].inner_steps);
}

// Twelve micro-batches of both: the fast one takes eight in the time of four.
TEST_F(BalancedSites, DivideTheMicroBatchesOfEveryStep) {
  const Scheme scheme = scheme_named("wan_sync");
  const WideArea area = nodes();
  const Report with = report(divided(context(area, 6), scheme, Balance::batch), scheme);
  const Report without = report(context(area, 6), scheme);
  const auto& sites = with.round->by_site;
  EXPECT_EQ(sites[0].parallelism.accumulation + sites[1].parallelism.accumulation, 12);
  EXPECT_EQ(with.global_batch, without.global_batch);
  const double micro_batch_s = without.round->by_site[1].inner_step_s / 6;
  EXPECT_LT(std::abs(sites[0].inner_step_s - sites[1].inner_step_s), micro_batch_s);
  EXPECT_LT(with.time_s, without.time_s);
}

// A step for each of the 8 fragments, however slow the site.
TEST_F(BalancedSites, HaveAStepForEachFragment) {
  const Scheme scheme = of_steps("streaming_diloco", 20);
  const WideArea area = nodes(0.01);
  const auto setups = balanced_setups(context(area), scheme, Balance::steps);
  EXPECT_EQ(setups[0].inner_steps, 32);
  EXPECT_EQ(setups[1].inner_steps, 8);
}

TEST_F(BalancedSites, HaveNoStepsToDivideInSchemesOfEveryStep) {
  const Scheme scheme = scheme_named("wan_sync");
  const WideArea area = nodes();
  EXPECT_EQ(report(divided(context(area), scheme, Balance::steps), scheme).time_s,
            report(context(area), scheme).time_s);
}

TEST_F(BalancedSites, LeaveNoKeyOfASiteOutOfAccount) {
  const Scheme scheme = of_steps("diloco", 30);
  WideArea area = nodes();
  area.sites[1].setup = {.accumulation = 2, .inner_steps = 10};
  const auto error_with = [&](Balance balance) {
    return input_error_of(
        [&] { static_cast<void>(balanced_setups(context(area), scheme, balance)); });
  };
  EXPECT_TRUE(error_with(Balance::steps).starts_with("`balance`: sites.west.inner_steps is given"));
  EXPECT_TRUE(
      error_with(Balance::batch).starts_with("`balance`: sites.west.accumulation is given"));
  area.sites[1].setup.inner_steps.reset();
  const auto setups = balanced_setups(context(area), scheme, Balance::steps);
  EXPECT_EQ(setups[1].accumulation, 2) << "as given";
}

}  // namespace
}  // namespace sim
