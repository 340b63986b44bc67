// SPDX-License-Identifier: Apache-2.0
// Rounds of members that come and go: volunteers, spot instances, sites of several companies.
//
//   member a  ══steps══╪exchange═╪══steps══╪exchange═╪     a round: those that are ready at its start
//   member b  ══steps══╪═x leaves, away ...  load │══steps  ready between two rounds: from the next on
//   member c  ══x leaves         │        │        │
//
// A member that leaves takes its steps of the round with it. During the steps the others notice that in
// time, or begin their exchange that much later; an exchange that it breaks is detected and begun anew.
// Members that go on without those that they do not hear (a deadline, a quorum) wait no longer for one
// that has left than for one that is late. Times until a member leaves, and until it is back, are exponential.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "sim/reliability/month.hpp"

namespace sim {

// Equal members. Times are means, in seconds.
struct MemberKind {
  int count = 1;
  double stays_s = 0;    // infinite: it never leaves
  double away_s = 0;     // until it is back
  double joins_s = 0;    // loads for so long before it can take part
  double per_round = 0;  // what it contributes to a round, tokens
};

struct RoundLength {
  double steps_s = 0;  // until the exchange begins
  double round_s = 0;  // until it has ended; infinite: it never does
  // When the members go on without those that they have not heard; infinite: they wait for all.
  double cutoff_s = std::numeric_limits<double>::infinity();
  // By kind, what a member contributes to it; none: MemberKind::per_round.
  std::span<const double> per_round = {};
};

struct Membership {
  std::vector<MemberKind> kinds;
  // Of so many members of each kind, of which at least one takes part.
  std::function<RoundLength(std::span<const int> members)> round;
  double detection_s = 0;
  int least = 1;  // members of a round, a quorum
};

// Of rounds that were played for some time.
struct PlayedRounds {
  double time_s = 0;
  double kept = 0;      // of what members contributed
  double lost = 0;      // MemberKind::per_round of each that left before the round's end
  double members = 0;   // at the end of a round, mean
  double waited_s = 0;  // for members that had left: detection, and exchanges begun in vain
  double idle_s = 0;    // with fewer members than are needed
  std::int64_t rounds = 0, leaves = 0;
};
// Rounds between two events last as long as the first of them, so that the work grows with the number
// of members that leave or come back. The same seed gives the same events, which are added to `month`
// if there is one.
[[nodiscard]] PlayedRounds play_rounds(const Membership& membership, double span_s,
                                       std::uint64_t seed, Month* month = nullptr);

// Plain arithmetic: what is kept per second if a round takes as long as it does with the mean number
// of members, rounded, and nobody waits for those that leave. In a round of R seconds a member takes
// part to the end if it is ready at the start and stays for R more:
//
//   per_round / R x stays exp(-(joins + R) / stays) / (stays + away)
[[nodiscard]] double expected_per_second(const Membership& membership);

// Share of the time in which a member is there and ready.
[[nodiscard]] double ready_share(const MemberKind& kind);

}  // namespace sim
