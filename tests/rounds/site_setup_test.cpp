// SPDX-License-Identifier: Apache-2.0
// Sites with keys of their own: limits in which they are those of the job, and what each site's own
// changes.
#include <gtest/gtest.h>

#include "sim/rounds/round_remedies.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/times/roofline.hpp"
#include "tests/input_errors.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

// Two tables of nodes of 8 H100.
class SiteSetups : public testing::Test {
 protected:
  WideArea nodes(int count = 1) const {
    WideArea area = equal_sites(count, 1e9);
    area.sites.front().cluster = part_of(cluster_, 1, 8);
    area.sites.push_back(area.sites.front());
    area.sites[0].name = "east";
    area.sites[1].name = "west";
    return area;
  }
  static WideArea with(WideArea area, const SiteSetup& setup) {
    for (Site& site : area.sites) site.setup = setup;
    return area;
  }
  RoundContext context(const WideArea& area, const Parallelism& parallelism = {}) const {
    return {area, model_, calibrations_, parallelism, sharded_};
  }
  Report report(const RoundContext& given, const Scheme& scheme) const {
    return summarize(given, scheme, simulate_round(given, scheme));
  }
  static Scheme of_steps(std::string_view name, int steps) {
    Scheme scheme = scheme_named(name);
    if (!scheme.between_sites->gradients) scheme.between_sites->inner_steps = steps;
    return scheme;
  }
  static void expect_same(const Report& one, const Report& other) {
    EXPECT_EQ(one.time_s, other.time_s);
    EXPECT_EQ(one.tokens_per_s, other.tokens_per_s);
    EXPECT_EQ(one.wire_bytes_wan, other.wire_bytes_wan);
    EXPECT_EQ(one.memory.total(), other.memory.total());
    EXPECT_EQ(one.global_batch, other.global_batch);
    EXPECT_EQ(one.usd_per_million_tokens, other.usd_per_million_tokens);
    EXPECT_EQ(one.round->utilisation, other.round->utilisation);
  }

  const Cluster cluster_ = read_cluster(source_directory() / "topologies/dgx_h100_x16.toml");
  const Model model_ = read_model(source_directory() / "traces/models/gpt_125m.toml");
  const std::vector<Calibration> calibrations_{2, roofline()};
  const Scheme& sharded_ = scheme_named("sharded");
};

TEST_F(SiteSetups, ThatAreTheJobsChangeNothing) {
  const WideArea area = nodes();
  for (const char* name : {"diloco", "streaming_diloco", "eager_diloco", "wan_sync"}) {
    const Scheme scheme = of_steps(name, 20);
    const WideArea own = with(area, {.micro_batch = 1,
                                     .accumulation = 1,
                                     .tensor = 1,
                                     .pipeline = 1,
                                     .zero = 1,
                                     .inner_scheme = "sharded",
                                     .inner_steps = 20});
    SCOPED_TRACE(name);
    expect_same(report(context(own), scheme), report(context(area), scheme));
  }
}

TEST_F(SiteSetups, OfAllSitesAreTheJobsOwn) {
  const WideArea area = nodes();
  const Scheme scheme = of_steps("diloco", 20);
  const auto expect = [&](const SiteSetup& setup, const Parallelism& parallelism) {
    expect_same(report(context(with(area, setup)), scheme),
                report(context(area, parallelism), scheme));
  };
  expect({.micro_batch = 2}, {.micro_batch = 2});
  expect({.accumulation = 3}, {.accumulation = 3});
  expect({.tensor = 2}, {.tensor = 2});
  expect({.pipeline = 2}, {.pipeline = 2});
  expect({.zero = 3}, {.sharding = {.stage = 3}});
  expect_same(report(context(with(area, {.inner_steps = 30})), scheme),
              report(context(area), of_steps("diloco", 30)));
  const Scheme& inner = scheme_named("sdp4bit");
  const RoundContext of_job{area, model_, calibrations_, {}, inner};
  expect_same(report(context(with(area, {.inner_scheme = "sdp4bit"})), scheme),
              report(of_job, scheme));
}

// One site as the job, the other as another job: its step, its memory, its tokens.
TEST_F(SiteSetups, AreThoseOfEachSite) {
  WideArea area = nodes();
  area.sites[1].setup = {.micro_batch = 2, .accumulation = 3, .zero = 3, .inner_steps = 10};
  const Scheme scheme = of_steps("diloco", 20);
  const Report mixed = report(context(area), scheme);
  const Parallelism own{.micro_batch = 2, .accumulation = 3, .sharding = {.stage = 3}};
  const WideArea plain = nodes();
  const Report east = report(context(plain), scheme), west = report(context(plain, own), scheme);
  const auto& sites = mixed.round->by_site;
  EXPECT_EQ(sites[0].inner_step_s, east.round->by_site[0].inner_step_s);
  EXPECT_EQ(sites[1].inner_step_s, west.round->by_site[1].inner_step_s);
  EXPECT_EQ(sites[0].memory.total(), east.round->by_site[0].memory.total());
  EXPECT_EQ(sites[1].memory.total(), west.round->by_site[1].memory.total());
  EXPECT_EQ(sites[0].setup, "");
  EXPECT_EQ(sites[1].setup, "zero 3 micro-batch 2 accumulation 3");
  EXPECT_EQ(mixed.global_batch, 8 + 8 * 6);
  const double tokens = (8.0 * 20 + 8 * 6 * 10) * model_.sequence;
  EXPECT_DOUBLE_EQ(mixed.round->tokens, tokens);
  EXPECT_DOUBLE_EQ(mixed.tokens_per_s, tokens / mixed.time_s);
  EXPECT_EQ(mixed.wire_bytes_wan, east.wire_bytes_wan) << "whatever the steps";
}

TEST_F(SiteSetups, OfATableAreFoldedAsBefore) {
  WideArea area = nodes(3);
  area.sites[1].setup = {.tensor = 2, .inner_steps = 15};
  const Scheme scheme = of_steps("sparseloco", 20);
  RoundContext given = context(area);
  const RoundResult folded = simulate_round(given, scheme);
  given.whole = true;
  const RoundResult whole = simulate_round(given, scheme);
  EXPECT_NEAR(folded.round_s / whole.round_s, 1, 1e-9);
  EXPECT_LT(folded.plan.schedule.operations.size(), whole.plan.schedule.operations.size() / 2);
}

// The names of sites say nothing of how they train.
TEST_F(SiteSetups, OfSwappedNamesGiveTheSameRound) {
  WideArea area = nodes();
  area.sites[1].setup = {.accumulation = 2, .inner_steps = 10};
  WideArea swapped = nodes();
  swapped.sites[0].setup = area.sites[1].setup;
  const Scheme scheme = of_steps("diloco_int8", 20);
  EXPECT_DOUBLE_EQ(report(context(area), scheme).time_s, report(context(swapped), scheme).time_s);
}

TEST_F(SiteSetups, OfSitesWithoutOthersInTheirRegionsLastAsLongAsRounds) {
  WideArea area = nodes();
  area.sites[1].setup = {.inner_steps = 10};
  Scheme scheme = of_steps("hierarchical_diloco", 20);
  scheme.between_sites->across_every = 3;
  const Report once = report(context(area), scheme);
  EXPECT_EQ(once.round->by_site[0].inner_steps, 60);
  EXPECT_EQ(once.round->by_site[1].inner_steps, 30);
}

TEST_F(SiteSetups, AreRefusedWhereTheyDoNotGoWithTheScheme) {
  WideArea area = nodes();
  const auto expect = [&](const SiteSetup& setup, const Scheme& scheme, const char* place) {
    area.sites[1].setup = setup;
    const std::string line = input_error_of([&] { check(context(area), scheme); });
    EXPECT_TRUE(line.starts_with(place)) << line;
  };
  expect({.tensor = 5}, scheme_named("diloco"), "`topology`: sites.west.tp: 5 does not divide");
  expect({.zero = 3, .inner_scheme = "sdp4bit"}, scheme_named("diloco"), "`topology`: sites.west.");
  expect({.inner_scheme = "diloco"}, scheme_named("diloco"),
         "`topology`: sites.west.inner_scheme: 'diloco' is a scheme between sites");
  expect({.inner_scheme = "sharted"}, scheme_named("diloco"),
         "`topology`: sites.west.inner_scheme: unknown scheme 'sharted'; did you mean sharded");
  expect({.inner_steps = 7}, scheme_named("streaming_diloco"),
         "`topology`: sites.west.inner_steps: 7 is less than the 8 fragments");
  expect({.tensor = 2}, scheme_named("wan_flat"), "`topology`: sites.west: wan_flat joins");
  area.sites[0].setup.tensor = 2;
  check(context(area), scheme_named("wan_flat"));
}

TEST_F(SiteSetups, ThatDoNotFitAreMendedAtTheirKeys) {
  WideArea area = nodes();
  area.sites[1].setup = {.micro_batch = 64, .zero = 1};
  area.sites[1].cluster.gpu.memory = Bytes{60'000'000'000};
  const auto remedies = what_would_fit(context(area), 1, scheme_named("diloco"), {});
  ASSERT_FALSE(remedies.empty());
  const auto halved = [](const std::string& one) {
    return one.starts_with("`set` sites.west.micro_batch=32 (");
  };
  EXPECT_TRUE(std::ranges::any_of(remedies, halved)) << remedies.front();
}

}  // namespace
}  // namespace sim
