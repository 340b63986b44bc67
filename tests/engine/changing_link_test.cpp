// SPDX-License-Identifier: Apache-2.0
// What the engine makes of a link whose rate changes.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/schedule/builder.hpp"

namespace sim {
namespace {

constexpr double kGigabyte = 1e9;

// One flow of so many bytes over a link of 1 GB/s whose rate changes.
double end_over_changing_link(double bytes, std::vector<RateChange> changes, double repeats_s,
                              const Conditions& conditions = {}, double starts_s = 0) {
  ScheduleBuilder builder(1);
  const auto id = builder.flow(builder.add_route({}), 0, Phase::none, "flow", starts_s, bytes, {});
  const Schedule schedule = std::move(builder).finish();
  const Wiring wiring{.links = {{.name = "changing",
                                 .rate_Bps = kGigabyte,
                                 .changes = std::move(changes),
                                 .repeats_s = repeats_s}},
                      .routes = {{{0}}}};
  return simulate(schedule, wiring, conditions).end_s[id];
}

TEST(ChangingLink, CarriesWhatItsRateAllowsAtEachTime) {
  // 2 s at 1 GB/s, 2 s at 0.5 GB/s, and the rest at 0.25 GB/s: 2 + 1 + 0.5 GB in 6 s.
  EXPECT_NEAR(end_over_changing_link(3.5e9, {{2, 0.5e9}, {4, 0.25e9}}, 0), 6, 1e-6);
}

TEST(ChangingLink, HoldsWhatCrossesItWhileItIsDown) {
  // 1 GB, three seconds of nothing, 1 GB.
  EXPECT_NEAR(end_over_changing_link(2e9, {{1, 0}, {4, 1e9}}, 0), 5, 1e-6);
}

TEST(ChangingLink, HoldsWhatWouldCrossItWhileItIsDown) {
  // 1 GB from 2 s on, from 4 s on in fact; 0.5 GB from 62 s on, from 80 s on in fact, when the fifth
  // period of 20 s begins.
  EXPECT_NEAR(end_over_changing_link(1e9, {{1, 0}, {4, 1e9}}, 0, {}, 2), 5, 1e-6);
  EXPECT_NEAR(end_over_changing_link(0.5e9, {{1, 0}}, 20, {}, 62), 80.5, 1e-6);
}

TEST(ChangingLink, ChangesWhileNothingCrossesItToo) {
  // 0.1 GB/s when the flow starts, at 2 s, and 1 GB/s from 4 s on: 0.2 GB and 0.8 GB.
  EXPECT_NEAR(end_over_changing_link(1e9, {{1, 0.1e9}, {4, 1e9}}, 0, {}, 2), 4.8, 1e-6);
}

TEST(ChangingLink, BeginsEveryPeriodAtItsOwnRate) {
  // Periods of 10 s, of which 4 at 1 GB/s and 6 at 0.5 GB/s: 7 GB each. After two of them 4 GB
  // and 1 GB in 2 s more.
  EXPECT_NEAR(end_over_changing_link(7e9, {{4, 0.5e9}}, 10), 10, 1e-6);
  EXPECT_NEAR(end_over_changing_link(14e9, {{4, 0.5e9}}, 10), 20, 1e-6);
  EXPECT_NEAR(end_over_changing_link(19e9, {{4, 0.5e9}}, 10), 26, 1e-6);
  // Two changes in a period: 3 s at 1 GB/s, 2 s at nothing, 5 s at 0.4 GB/s: 5 GB.
  EXPECT_NEAR(end_over_changing_link(15e9, {{3, 0}, {5, 0.4e9}}, 10), 30, 1e-6);
}

TEST(ChangingLink, ThatRepeatsForEverStopsWithTheLastOperation) {
  // Changes each half second for a year would take minutes: after the flow's second it is over.
  const Conditions year{.outages = {}, .time_limit = Seconds::from_base(3e7), .wall_limit = 10_s};
  EXPECT_NEAR(end_over_changing_link(1e9, {{0.5, 1e9}}, 1, year), 1, 1e-6);
}

TEST(ChangingLink, ThatIsDownAlmostAlwaysEndsWithTheTimeLimit) {
  // A byte in each period of a second: a gigabyte would take thirty years.
  const Conditions few{.outages = {}, .time_limit = Seconds::from_base(1e12), .most_changes = 2e4};
  EXPECT_TRUE(std::isnan(end_over_changing_link(1e9, {{1e-9, 0}}, 1, few)));
  EXPECT_NEAR(end_over_changing_link(9e3, {{1e-9, 0}}, 1, few), 9e3, 10);
}

// On for half of 100 ns, again and again: 1 GB takes 2 s, ten million times as many changes.
TEST(ChangingLink, ThatChangesTooOftenEndsAtALimitOfItsOwn) {
  ScheduleBuilder builder(1);
  builder.flow(builder.add_route({}), 0, Phase::none, "flow", 0, kGigabyte, {});
  const Schedule schedule = std::move(builder).finish();
  for (const double period_s : {1e-7, 1e-9, 1e-12}) {
    const Wiring wiring{.links = {{.name = "changing",
                                   .rate_Bps = kGigabyte,
                                   .changes = {{.at_s = period_s / 2, .rate_Bps = 0}},
                                   .repeats_s = period_s}},
                        .routes = {{{0}}}};
    const Timeline timeline = simulate(schedule, wiring, {.most_changes = 1000});
    EXPECT_EQ(timeline.outcome, Outcome::change_limit) << period_s;
    EXPECT_STREQ(outcome_name(timeline.outcome), "change_limit");
    EXPECT_TRUE(std::isnan(timeline.end_s.front()));
    EXPECT_THROW(static_cast<void>(simulate_to_end(schedule, wiring, "here: it")), InputError);
  }
}

}  // namespace
}  // namespace sim
