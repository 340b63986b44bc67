// SPDX-License-Identifier: Apache-2.0
// Rounds of sites that take unlike numbers of inner steps.
#include <gtest/gtest.h>

#include "sim/report/report.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

// Three sites whose steps take 1, 2 and 4 s, 20 of the fastest, in as much time.
RoundShape as_fast(const Exchange& exchange, double bytes) {
  RoundShape shape = equal_rounds(&exchange, 3, 20, bytes);
  double seconds = 1;
  int steps = 20;
  for (SiteWork& work : shape.sites) {
    work.inner_steps = steps;
    work.step_s = work.needed_s = work.ready_s[0] = seconds;
    seconds *= 2;
    steps /= 2;
  }
  return shape;
}

TEST(UnlikeSteps, OfTheSameTimeLeaveNobodyWaiting) {
  const RoundShape shape = as_fast(exchanges::all_gather, 24e9);
  const RoundResult result = simulate_round(equal_sites(3, 10e9, 20_ms), shape);
  EXPECT_NEAR(result.round_s, 20 + 0.02 + 2 * 2.4, 1e-6);
  EXPECT_NEAR(time_parts(result.plan.schedule, result.timeline).bubble_s, 0, 1e-6);
}

TEST(UnlikeSteps, OfUnlikeTimesEndWithTheSlowest) {
  RoundShape shape = as_fast(exchanges::ring, 24e9);
  const double even = simulate_round(equal_sites(3, 10e9), shape).round_s;
  shape.sites[1].inner_steps += 3;
  EXPECT_NEAR(simulate_round(equal_sites(3, 10e9), shape).round_s, even + 3 * 2, 1e-6);
}

// Each of five fragments after a fifth of a site's steps, so at the same times at all sites. Sent in a
// second, it is there before the slowest has made a step.
TEST(UnlikeSteps, SendFragmentsAtTheSameTimes) {
  RoundShape shape = as_fast(exchanges::all_gather, 5e9);
  shape.fragments = 5;
  const WideArea area = equal_sites(3, 10e9);
  EXPECT_NEAR(simulate_round(area, shape).round_s, 20 + 5 * 1.0, 1e-6) << "steps wait for each";
  shape.overlap_steps = 1;
  shape.rounds = 3;
  EXPECT_NEAR(simulate_round(area, shape).round_s, 20, 1e-6);
  shape.delayed = true;
  EXPECT_NEAR(simulate_round(area, shape).round_s, 20, 1e-6);
}

// Overlap counts a site's own steps. Of 2.5 s that values take, one site's step hides 0.5 s, the other's
// 2 s; they wait in turn, each for what the other has sent.
TEST(UnlikeSteps, OverlapStepsOfTheirOwn) {
  RoundShape shape = equal_rounds(&exchanges::all_gather, 2, 40, 25e9);
  shape.overlap_steps = 1;
  shape.rounds = 3;
  SiteWork& fast = shape.sites[0];
  fast.step_s = fast.needed_s = fast.ready_s[0] = 0.5;
  SiteWork& slow = shape.sites[1];
  slow.inner_steps = 10;
  slow.step_s = slow.needed_s = slow.ready_s[0] = 2;
  EXPECT_NEAR(simulate_round(equal_sites(2, 10e9), shape).round_s, 20 + (2 + 0.5) / 2, 1e-6);
}

TEST(UnlikeSteps, OfTheRoundAreTheAnswerWithoutThem) {
  const WideArea area = equal_sites(4, 10e9, 20_ms);
  for (const Exchange* exchange : {&exchanges::ring, &exchanges::all_to_all, &exchanges::leader}) {
    for (const int overlap : {0, 3}) {
      RoundShape shape = equal_rounds(exchange, 4, 10, 24e9);
      shape.fragments = 3;
      shape.rounds = 3;
      shape.overlap_steps = overlap;
      shape.delayed = overlap > 0 && exchange == &exchanges::leader;
      RoundShape own = shape;
      for (SiteWork& work : own.sites) work.inner_steps = 10;
      EXPECT_EQ(simulate_round(area, own).round_s, simulate_round(area, shape).round_s)
          << exchange->name << ", overlap of " << overlap;
    }
  }
}

// A site of a quorum that is late with its last fragment is found late by its own steps.
TEST(UnlikeSteps, OfASiteThatIsTooSlowLeaveItBehind) {
  RoundShape shape = as_fast(exchanges::leader, 1e9);
  shape.sites[2].inner_steps = 20;  // 80 s
  const RoundResult result =
      simulate_round(equal_sites(3, 10e9), shape, {.quorum = 2, .grace = 5_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  EXPECT_EQ(result.shape.fate(2), Fate::skipped);
}

}  // namespace
}  // namespace sim
