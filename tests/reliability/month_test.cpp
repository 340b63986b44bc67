// SPDX-License-Identifier: Apache-2.0
// The timeline of a month adds up to what is said of it.
#include "sim/reliability/month.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>

#include "sim/base/units.hpp"
#include "sim/reliability/membership.hpp"
#include "sim/reliability/simulate_job.hpp"

namespace sim {
namespace {

double seconds_of(const Month& month, const std::string& what) {
  double sum = 0;
  for (const Span& span : month) sum += span.what == what ? span.end_s - span.start_s : 0;
  return sum;
}

// Of one member, or of the whole: one after another from 0 to the end.
void expect_without_gaps(const Month& month, int kind, int member, double end_s) {
  Month own;
  for (const Span& span : month) {
    const bool is_own = span.kind == kind && (kind == Span::kNone || span.member == member);
    if (is_own && span.end_s > span.start_s) own.push_back(span);
  }
  std::ranges::stable_sort(own, {}, &Span::start_s);
  double until_s = 0;
  for (const Span& span : own) {
    EXPECT_NEAR(span.start_s, until_s, 1e-6) << span.what << " of " << kind << " " << member;
    until_s = span.end_s;
  }
  EXPECT_NEAR(until_s, end_s, 1e-6) << kind << " " << member;
}

Membership three_kinds() {
  Membership membership{
      .kinds = {{.count = 6, .stays_s = 5000, .away_s = 3000, .joins_s = 400, .per_round = 1},
                {.count = 2, .stays_s = 900, .away_s = 900, .joins_s = 2000, .per_round = 1},
                {.count = 1, .stays_s = std::numeric_limits<double>::infinity(), .per_round = 1}},
      .round =
          [](std::span<const int>) {
            return RoundLength{100, 150};
          },
      .detection_s = 60,
      .least = 4};
  return membership;
}

TEST(Month, OfRoundsAddsUp) {
  Month month;
  const PlayedRounds played = play_rounds(three_kinds(), 10 * kDay_s, 3, &month);
  expect_without_gaps(month, Span::kNone, 0, played.time_s);
  const int counts[] = {6, 2, 1};
  for (int kind = 0; kind < 3; ++kind) {
    for (int i = 0; i < counts[kind]; ++i) expect_without_gaps(month, kind, i, played.time_s);
  }
  std::int64_t rounds = 0;
  double members = 0;
  for (const Span& span : month) {
    rounds += span.count;
    members += static_cast<double>(span.count * span.members);
  }
  EXPECT_EQ(rounds, played.rounds);
  EXPECT_NEAR(members, played.kept, 1e-6 * members);
  EXPECT_NEAR(seconds_of(month, "too few sites"), played.idle_s, 1e-6 * played.time_s);
  EXPECT_GT(seconds_of(month, "lost round"), 0);
  EXPECT_GT(seconds_of(month, "broken exchange"), 0);
  EXPECT_EQ(played.kept, play_rounds(three_kinds(), 10 * kDay_s, 3).kept);
}

TEST(Month, HasItsCheckpoints) {
  Membership membership = three_kinds();
  membership.kinds.pop_back();
  membership.save_every = 5;
  for (MemberKind& kind : membership.kinds) kind.saves_s = kind.restores_s = 20;
  Month month;
  const PlayedRounds played = play_rounds(membership, 10 * kDay_s, 3, &month);
  expect_without_gaps(month, Span::kNone, 0, played.time_s);
  for (int i = 0; i < 6; ++i) expect_without_gaps(month, 0, i, played.time_s);
  EXPECT_NEAR(seconds_of(month, "checkpoint"), played.saved_s, 1e-6 * played.time_s);
  EXPECT_EQ(played.kept, play_rounds(membership, 10 * kDay_s, 3).kept);
}

// Where no round is lost, what the others wait is all that is waited for.
TEST(Month, HasWhatIsWaitedFor) {
  Membership membership = three_kinds();
  membership.least = 1;
  Month month;
  const PlayedRounds played = play_rounds(membership, 10 * kDay_s, 3, &month);
  EXPECT_EQ(seconds_of(month, "lost round"), 0);
  EXPECT_NEAR(seconds_of(month, "waiting") + seconds_of(month, "broken exchange"), played.waited_s,
              1e-6 * played.time_s);
}

// With all that is waited for, where values are handed in.
TEST(Month, OfRoundsThatAreHandedInAddsUp) {
  for (const bool is_led : {false, true}) {
    Membership membership = three_kinds();
    membership.round = [](std::span<const int>) {
      return RoundLength{.steps_s = 100, .round_s = 150, .handed_in_s = 130};
    };
    membership.least = 1;
    membership.is_led = is_led;
    Month month;
    const PlayedRounds played = play_rounds(membership, 10 * kDay_s, 3, &month);
    expect_without_gaps(month, Span::kNone, 0, played.time_s);
    std::int64_t rounds = 0;
    for (const Span& span : month) rounds += span.count;
    EXPECT_EQ(rounds, played.rounds);
    EXPECT_GT(seconds_of(month, "waiting"), 0);
    EXPECT_EQ(seconds_of(month, "broken exchange") > 0, is_led);
    EXPECT_NEAR(seconds_of(month, "waiting") + seconds_of(month, "broken exchange"),
                played.waited_s, 1e-6 * played.time_s);
  }
}

TEST(Month, OfAJobThatFailsAddsUp) {
  const Renewal job{.failure_rate = 1 / (0.5 * kDay_s),
                    .hardware_rate = 0.5 / (0.5 * kDay_s),
                    .stall_s = 60,
                    .write_s = 20,
                    .detection_s = 300,
                    .restart_s = 1800,
                    .repair_s = 4 * 3600.0};
  Month month;
  const SimulatedJob simulated = simulate_job(job, 3000, 30 * kDay_s, 5, &month);
  const double time_s = month.back().end_s;
  expect_without_gaps(month, Span::kNone, 0, time_s);
  EXPECT_NEAR(seconds_of(month, "detection"), simulated.shares.detection * time_s, 1);
  EXPECT_NEAR(seconds_of(month, "restart"), simulated.shares.restart * time_s, 1);
  EXPECT_NEAR(seconds_of(month, "repair"), simulated.shares.repair * time_s, 1);
  double saved = 0;
  for (const Span& span : month) saved += static_cast<double>(span.count);
  EXPECT_NEAR(3000 * saved, simulated.shares.goodput * time_s, 1);
  EXPECT_GT(seconds_of(month, "trained again"), 0);
}

TEST(Month, IsWrittenByMember) {
  const Month month{{.start_s = 0, .end_s = 5, .kind = 1, .member = 0, .what = "there"},
                    {.start_s = 0, .end_s = 4, .what = "rounds", .count = 2, .members = 3},
                    {.start_s = 4, .end_s = 4, .what = "waiting"},
                    {.start_s = 4, .end_s = 6, .what = "rounds", .count = 1, .members = 3},
                    {.start_s = 6, .end_s = 8, .what = "rounds", .count = 1, .members = 2}};
  EXPECT_EQ(to_csv(month, "rounds", {{"east"}, {"west"}}),
            "start_s,end_s,of,what,count,members\n"
            "0.000,6.000,rounds,rounds,3,3\n"
            "6.000,8.000,rounds,rounds,1,2\n"
            "0.000,5.000,west,there,,\n");
}

}  // namespace
}  // namespace sim
