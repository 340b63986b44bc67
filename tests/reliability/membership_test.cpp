// SPDX-License-Identifier: Apache-2.0
// Members that come and go, against closed forms.
#include "sim/reliability/membership.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

namespace sim {
namespace {

constexpr double kNeverLeaves = std::numeric_limits<double>::infinity();
constexpr double kHours = 3600, kDays = 24 * kHours;

// Rounds of 1000 s, whoever takes part, of which the exchange takes so much.
Membership members(std::vector<MemberKind> kinds, double exchange_s = 0) {
  return {.kinds = std::move(kinds), .round = [exchange_s](std::span<const int>) {
            return RoundLength{1000 - exchange_s, 1000};
          }};
}

// One that stays for 2000 s on average and is back at once, beside one that never leaves.
Membership one_of_two_leaves(double exchange_s = 0) {
  return members({{.count = 1, .stays_s = 2000, .away_s = 1e-6, .per_round = 1},
                  {.count = 1, .stays_s = kNeverLeaves, .per_round = 1}},
                 exchange_s);
}

// How long a round of 1000 s waits on average for it, if it leaves x before the end, at least so much,
// and is noticed after 300 s: 300 - x.
double waits_for_detection(double least_s) {
  double waited_s = 0;
  for (double x = least_s + 0.5; x < 300; ++x) {
    waited_s += (300 - x) * std::exp(-(1000 - x) / 2000) / 2000;
  }
  return waited_s;
}

TEST(Membership, OfMembersThatStayIsRoundAfterRound) {
  const Membership all = members({{.count = 3, .stays_s = kNeverLeaves, .per_round = 5}}, 400);
  const PlayedRounds played = play_rounds(all, 1e6, 1);
  EXPECT_EQ(played.rounds, 1000);
  EXPECT_DOUBLE_EQ(played.kept, 1000 * 3 * 5);
  EXPECT_DOUBLE_EQ(played.members, 3);
  EXPECT_EQ(played.lost + played.waited_s + played.idle_s, 0);
  EXPECT_DOUBLE_EQ(expected_per_second(all), 3 * 5 / 1000.0);
}

// Where nobody waits, the closed form is exact: a member is there at the start of a round as often as
// at any time, and stays to its end by its law.
TEST(Membership, KeepsWhatTheClosedFormSays) {
  for (const double loads_s : {0.0, 3000.0}) {
    const Membership all = members({{.count = 20,
                                     .stays_s = 5 * kHours,
                                     .away_s = 1 * kHours,
                                     .joins_s = loads_s,
                                     .per_round = 7},
                                    {.count = 2, .stays_s = kNeverLeaves, .per_round = 50}});
    const PlayedRounds played = play_rounds(all, 4000 * kDays, 7);
    EXPECT_NEAR(played.kept / played.time_s / expected_per_second(all), 1, 2e-3) << loads_s;
    EXPECT_EQ(played.waited_s, 0);
    EXPECT_EQ(played.idle_s, 0);
    const double leaves = 20 * played.time_s / (6 * kHours);
    EXPECT_NEAR(static_cast<double>(played.leaves) / leaves, 1, 1e-2);
    EXPECT_NEAR(played.lost / (played.lost + played.kept),
                20 * 7 * ready_share(all.kinds[0]) * (1 - std::exp(-1000 / (5 * kHours))) /
                    (20 * 7 * ready_share(all.kinds[0]) + 100),
                1e-3);
  }
}

// Of an exchange that takes the whole round, a member that leaves costs what had passed of it, and the
// detection.
TEST(Membership, ABrokenExchangeIsBegunAnew) {
  Membership all = one_of_two_leaves(1000);
  all.detection_s = 300;
  const PlayedRounds played = play_rounds(all, 4000 * kDays, 3);
  // It breaks at most one exchange a round, since it takes part again only from the next one on. From
  // its leaving, on average R s' after the start, the other one needs the detection and R anew.
  const double leaves = 1 - std::exp(-1000.0 / 2000);
  const double until_s = 2000 - 1000 * std::exp(-0.5) / (1 - std::exp(-0.5));
  const double round_s = 1000 + leaves * (until_s + 300);
  const auto rounds = static_cast<double>(played.rounds);
  EXPECT_NEAR(played.time_s / rounds, round_s, 2e-3 * round_s);
  EXPECT_NEAR(played.waited_s / rounds, leaves * (until_s + 300), 5e-3 * round_s);
  EXPECT_NEAR(played.members, 2 - leaves, 2e-3);
}

// Those that leave during the steps are noticed before the exchange, but for the last ones.
TEST(Membership, ALateDetectionDelaysTheExchange) {
  Membership all = one_of_two_leaves();
  all.detection_s = 300;
  const PlayedRounds played = play_rounds(all, 4000 * kDays, 5);
  const double waited_s = waits_for_detection(0);
  const auto rounds = static_cast<double>(played.rounds);
  EXPECT_NEAR(played.waited_s / rounds, waited_s, 0.5);
  EXPECT_NEAR(played.time_s / rounds, 1000 + waited_s, 0.5);
}

// Nobody waits beyond a deadline, here 100 s after the steps, however late the detection is.
TEST(Membership, ADeadlineEndsTheWaitForOneThatHasLeft) {
  Membership all = one_of_two_leaves();
  all.detection_s = 300;
  all.round = [](std::span<const int>) { return RoundLength{1000, 1000, 1100}; };
  const PlayedRounds played = play_rounds(all, 4000 * kDays, 5);
  double waited_s = 0;
  for (double x = 0.5; x < 300; ++x) {
    waited_s += std::min(300 - x, 100.0) * std::exp(-(1000 - x) / 2000) / 2000;
  }
  EXPECT_NEAR(played.waited_s / static_cast<double>(played.rounds), waited_s, 0.3);
  // One that has passed is none: an exchange that breaks after it is begun anew at once.
  all.round = [](std::span<const int>) { return RoundLength{500, 1000, 500}; };
  const double broken = std::exp(-0.25) - std::exp(-0.5);
  const double until_s = 2000 - 500 * std::exp(-0.25) / (1 - std::exp(-0.25));
  const PlayedRounds late = play_rounds(all, 4000 * kDays, 5);
  EXPECT_NEAR(late.waited_s / static_cast<double>(late.rounds), broken * until_s, 0.5);
}

// Of rounds whose values are handed in after 900 s of 1000 nobody begins anew: those count that stay for
// 900 s, however many members there are, as long as one that leaves before is noticed by the end. What is
// kept is what those that leave do not lose.
TEST(Membership, LosesNothingButTheStepsOfThoseThatLeaveBeforeTheyHandIn) {
  for (const int count : {3, 300}) {
    Membership all = members({{.count = count,
                               .stays_s = 5 * kHours,
                               .away_s = 1 * kHours,
                               .joins_s = 700,
                               .per_round = 7},
                              {.count = 1, .stays_s = kNeverLeaves, .per_round = 50}});
    all.detection_s = 100;
    all.round = [](std::span<const int>) {
      return RoundLength{.steps_s = 600, .round_s = 1000, .handed_in_s = 900};
    };
    const double days = 120'000.0 / count;
    const PlayedRounds played = play_rounds(all, days * kDays, 7);
    EXPECT_EQ(played.waited_s, 0) << count;
    EXPECT_NEAR(played.kept / played.time_s / expected_per_second(all), 1, 2e-3) << count;
    EXPECT_NEAR(expected_per_second(all) * 1000,
                50 + count * 7 * ready_share(all.kinds[0]) * std::exp(-900 / (5 * kHours)), 1e-9);
    // Begun anew without each that leaves, the exchange hardly ever ends where there are many.
    all.round = [](std::span<const int>) { return RoundLength{600, 1000}; };
    const PlayedRounds anew = play_rounds(all, days / 10 * kDays, 7);
    EXPECT_LT(anew.kept / anew.time_s, played.kept / played.time_s) << count;
  }
}

// One that leaves before it has handed in its values is waited for until it is noticed, beside the rest of
// the exchange; later ones are not.
TEST(Membership, WaitsForOneThatHasNotHandedInBesideTheExchange) {
  Membership all = one_of_two_leaves();
  all.detection_s = 300;
  all.round = [](std::span<const int>) {
    return RoundLength{.steps_s = 500, .round_s = 1000, .handed_in_s = 800};
  };
  const PlayedRounds played = play_rounds(all, 4000 * kDays, 5);
  const double waited_s = waits_for_detection(200);
  const auto rounds = static_cast<double>(played.rounds);
  EXPECT_NEAR(played.waited_s / rounds, waited_s, 0.3);
  EXPECT_NEAR(played.time_s / rounds, 1000 + waited_s, 0.3);
  EXPECT_NEAR(played.kept / rounds, 1 + std::exp(-800.0 / 2000), 3e-3);
}

// If the first member leads, an exchange of the whole round that it leaves begins anew, after R s' and the
// detection on average; another one's leaving breaks nothing.
TEST(Membership, BeginsAnewWithoutTheOneThatLeads) {
  Membership all = one_of_two_leaves();
  all.detection_s = 300;
  all.is_led = true;
  all.round = [](std::span<const int>) {
    return RoundLength{.steps_s = 0, .round_s = 1000, .handed_in_s = 400};
  };
  const PlayedRounds led = play_rounds(all, 4000 * kDays, 3);
  const double leaves = 1 - std::exp(-1000.0 / 2000);
  const double until_s = 2000 - 1000 * std::exp(-0.5) / (1 - std::exp(-0.5));
  EXPECT_NEAR(led.waited_s / static_cast<double>(led.rounds), leaves * (until_s + 300), 3);
  std::swap(all.kinds[0], all.kinds[1]);
  EXPECT_EQ(play_rounds(all, 4000 * kDays, 3).waited_s, 0);
}

// A round that all have left is lost, though they had handed in their values. Nobody is there to wait until
// the last one's leaving is detected, so that its next round begins as soon as it is back.
TEST(Membership, OfARoundThatNobodyEndsKeepsNothing) {
  Membership one = members({{.count = 1, .stays_s = 2000, .away_s = 10, .per_round = 1}});
  one.detection_s = 3000;
  for (const double handed_in_s : {200.0, kNeverLeaves}) {
    for (const double steps_s : {100.0, 1000.0}) {
      one.round = [=](std::span<const int>) {
        return RoundLength{.steps_s = steps_s, .round_s = 1000, .handed_in_s = handed_in_s};
      };
      const PlayedRounds played = play_rounds(one, 4000 * kDays, 3);
      // Of a stay, 1 / (e^(R / S) - 1) rounds end.
      EXPECT_NEAR(played.kept / played.time_s / (1 / std::expm1(0.5) / 2010), 1, 0.01);
    }
  }
}

// A kind that comes too late for the others adds to a round only when they are away.
TEST(Membership, KeepsOfEachRoundWhatItsMembersAdd) {
  Membership all =
      members({{.count = 1, .stays_s = 10 * kHours, .away_s = 10 * kHours, .per_round = 1},
               {.count = 1, .stays_s = kNeverLeaves, .per_round = 1}});
  const std::vector<double> together{1, 0}, alone{0, 1};
  all.round = [&](std::span<const int> there) {
    return RoundLength{.steps_s = 1, .round_s = 1, .per_round = there[0] > 0 ? together : alone};
  };
  const PlayedRounds played = play_rounds(all, 400 * kDays, 9);
  EXPECT_DOUBLE_EQ(played.kept, static_cast<double>(played.rounds));
  EXPECT_NEAR(expected_per_second(all), 0.5, 1e-4);
}

// Plain arithmetic is the same of n equal members and of n kinds of one each, though rounds last longer with
// each that is there, and those that are not there contribute nothing: n per_round m / R(k) of a mean of
// n m members, k when rounded.
TEST(Membership, ExpectsTheSameOfEqualMembersHoweverTheyAreDivided) {
  const MemberKind one{
      .count = 1, .stays_s = 20 * kHours, .away_s = 4 * kHours, .joins_s = 600, .per_round = 7};
  for (const int count : {2, 3, 5, 12}) {
    MemberKind many = one;
    many.count = count;
    Membership together = members({many}), apart = members({});
    apart.kinds.assign(static_cast<std::size_t>(count), one);
    std::vector<double> tokens;
    for (Membership* all : {&together, &apart}) {
      all->round = [&](std::span<const int> there) {
        tokens.assign(there.size(), 0);
        int sum = 0;
        for (std::size_t kind = 0; kind < there.size(); ++kind) {
          sum += there[kind];
          if (there[kind] > 0) tokens[kind] = 7;
        }
        return RoundLength{.steps_s = 1, .round_s = 100.0 * sum, .per_round = tokens};
      };
    }
    const double share = ready_share(one);
    const double round_s = 100.0 * static_cast<double>(std::lround(count * share));
    const double expected = count * 7 * share * std::exp(-round_s / (20 * kHours)) / round_s;
    EXPECT_NEAR(expected_per_second(together), expected, 1e-12) << count;
    EXPECT_NEAR(expected_per_second(apart), expected, 1e-12) << count;
  }
}

TEST(Membership, WaitsForAQuorum) {
  Membership all =
      members({{.count = 2, .stays_s = 10 * kHours, .away_s = 10 * kHours, .per_round = 1}});
  all.least = 2;
  const PlayedRounds played = play_rounds(all, 8000 * kDays, 9);
  // Both are there a quarter of the time; rounds begin later, and end without one of them or lost.
  EXPECT_NEAR(played.idle_s / played.time_s, 0.75, 0.01);
  EXPECT_DOUBLE_EQ(played.members, 2);
  all.least = 1;
  EXPECT_NEAR(play_rounds(all, 8000 * kDays, 9).idle_s / 8000 / kDays, 0.25, 0.01);
}

// A round that the rest would never end is lost, and none begins until the others are back.
TEST(Membership, WaitsForThoseWithoutWhomNoRoundEnds) {
  Membership all =
      members({{.count = 1, .stays_s = 10 * kHours, .away_s = 10 * kHours, .per_round = 1},
               {.count = 1, .stays_s = kNeverLeaves, .per_round = 1}});
  all.round = [](std::span<const int> there) {
    return RoundLength{500, there[0] > 0 ? 1000 : kNeverLeaves};
  };
  const PlayedRounds played = play_rounds(all, 8000 * kDays, 9);
  EXPECT_NEAR(played.idle_s / played.time_s, 0.5, 0.01);
  EXPECT_DOUBLE_EQ(played.members, 2);
}

// A month of one member, which loses what it holds when it leaves, and of whose stays, J after loading a
// checkpoint, intervals of C end in one that counts: 1 / (e^(C / S) - 1) of them.
PlayedRounds checkpointed(bool beside, double saves_s, double first_s, double interval_s) {
  Membership one = members({{.count = 1,
                             .stays_s = 20'000,
                             .away_s = 5000,
                             .restores_s = 700,
                             .saves_s = saves_s,
                             .per_round = 7}});
  one.save_every = 3;
  one.saves_beside = beside;
  const PlayedRounds played = play_rounds(one, 20'000 * kDays, 1);
  const double intervals = std::exp(-first_s / 20'000) / std::expm1(interval_s / 20'000);
  EXPECT_NEAR(played.kept / played.time_s / (3 * 7 * intervals / 25'000), 1, 0.01);
  EXPECT_NEAR(played.saves[0] / played.time_s / (intervals / 25'000), 1, 0.01);
  EXPECT_NEAR(played.kept + played.undone, 7.0 * static_cast<double>(played.rounds), 1e-3);
  return played;
}

// N rounds and their checkpoint.
TEST(Membership, GoesBackToTheLastCheckpoint) {
  const PlayedRounds played = checkpointed(false, 150, 700, 3150);
  // Of a checkpoint that it leaves in, on average nearly half is written.
  EXPECT_GT(played.saved_s, 150 * played.saves[0]);
  EXPECT_LT(played.saved_s / (150 * played.saves[0]), 1.01);
}

// A checkpoint beside the rounds that follow, which takes W, counts if the stay lasts so much longer.
TEST(Membership, GoesBackToTheLastCheckpointThatHasBeenWritten) {
  EXPECT_EQ(checkpointed(true, 1500, 700 + 1500, 3000).saved_s, 0);
}

// Rounds go on while a checkpoint is written, unless the next is due by then.
TEST(Membership, WaitsBesideRoundsForTheCheckpointBeforeAlone) {
  const auto played = [](double saves_s, double span_s) {
    Membership all =
        members({{.count = 2, .stays_s = kNeverLeaves, .saves_s = saves_s, .per_round = 1}});
    all.save_every = 4;
    all.saves_beside = true;
    EXPECT_DOUBLE_EQ(expected_per_second(all), 2 * 4 / std::max(4000.0, saves_s));
    return play_rounds(all, span_s, 1);
  };
  for (const double saves_s : {0.0, 3000.0, 4000.0}) {
    const PlayedRounds in_time = played(saves_s, 4000 * 100);
    EXPECT_EQ(in_time.rounds, 400) << saves_s;
    EXPECT_EQ(in_time.saved_s, 0) << saves_s;
  }
  const PlayedRounds late = played(5000, 4000 + 5000 * 100);
  EXPECT_EQ(late.rounds, 4 + 400);
  EXPECT_DOUBLE_EQ(late.saved_s, 1000 * 100);
  EXPECT_EQ(late.saves, (std::vector<double>{100}));
}

// What outlives its holders is never undone, however rarely it is saved; and what is saved in no time,
// after each round, costs what the last round does.
TEST(Membership, OfFreeCheckpointsAfterEachRoundLosesNothingMore) {
  Membership all = members({{.count = 2,
                             .stays_s = 20'000,
                             .away_s = 5000,
                             .joins_s = 700,
                             .restores_s = 700,
                             .per_round = 1}});
  const PlayedRounds without = play_rounds(all, 2000 * kDays, 2);
  EXPECT_EQ(without.undone + without.saved_s, 0);
  all.save_every = 1;
  const PlayedRounds each = play_rounds(all, 2000 * kDays, 2);
  EXPECT_EQ(each.undone, 0);
  EXPECT_EQ(each.leaves, without.leaves);
  EXPECT_NEAR(each.kept / without.kept, 1, 0.01);
  EXPECT_LE(each.kept, without.kept) << "one that was loading from those that left loads anew";
}

// While any member holds the state nothing is undone, and all wait for the fastest writer.
TEST(Membership, WaitsForTheFastestWriter) {
  Membership all = members({{.count = 3, .stays_s = kNeverLeaves, .saves_s = 80, .per_round = 1},
                            {.count = 1, .stays_s = kNeverLeaves, .saves_s = 50, .per_round = 1}});
  all.save_every = 4;
  const PlayedRounds played = play_rounds(all, 4050 * 100, 1);
  EXPECT_EQ(played.rounds, 400);
  EXPECT_DOUBLE_EQ(played.time_s, 4050 * 100);
  EXPECT_DOUBLE_EQ(played.saved_s, 5000);
  EXPECT_EQ(played.saves, (std::vector<double>{0, 100}));
  EXPECT_DOUBLE_EQ(expected_per_second(all), 4 * 4 / 4050.0);
  all.save_every = 0;
  EXPECT_EQ(play_rounds(all, 4000 * 100, 1).saved_s, 0);
}

// After all have left, nobody is there again before it has loaded the checkpoint.
TEST(Membership, LoadsTheCheckpointWhereNobodyHoldsTheState) {
  constexpr double kRestores_s = 600;
  Membership all = members({{.count = 3,
                             .stays_s = 3000,
                             .away_s = 3000,
                             .joins_s = 30,
                             .restores_s = kRestores_s,
                             .per_round = 1}});
  all.save_every = 2;
  Month month;
  const PlayedRounds played = play_rounds(all, 20 * kDays, 4, &month);
  EXPECT_GT(played.undone, 0);
  std::vector<std::pair<double, double>> there;
  for (const Span& span : month) {
    if (std::string_view(span.what) == "there") there.emplace_back(span.start_s, span.end_s);
  }
  std::ranges::sort(there);
  double until_s = there.front().second;
  int losses = 0;
  for (const auto& [start_s, end_s] : there) {
    if (start_s > until_s) {
      EXPECT_GE(start_s - until_s, kRestores_s * (1 - 1e-9));
      ++losses;
    }
    until_s = std::max(until_s, end_s);
  }
  EXPECT_GT(losses, 10);
}

TEST(Membership, OfTheSameSeedIsTheSame) {
  const Membership all =
      members({{.count = 9, .stays_s = kDays, .away_s = kHours, .per_round = 1}}, 300);
  EXPECT_EQ(play_rounds(all, 100 * kDays, 4).kept, play_rounds(all, 100 * kDays, 4).kept);
  EXPECT_NE(play_rounds(all, 100 * kDays, 4).kept, play_rounds(all, 100 * kDays, 5).kept);
}

}  // namespace
}  // namespace sim
