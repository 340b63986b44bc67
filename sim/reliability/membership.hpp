// SPDX-License-Identifier: Apache-2.0
// Rounds of members that come and go: volunteers, spot instances, sites of several companies.
//
//   member a  ══steps══╪exchange═╪══steps══╪exchange═╪     a round: those that are ready at its start
//   member b  ══steps══╪═x leaves, away ...  load │══steps  ready between two rounds: from the next on
//   member c  ══x leaves         │        │        │
//
// A member that leaves takes its steps of the round with it. During the steps the others notice that in
// time, or begin their exchange that much later; an exchange that it breaks is detected and begun anew.
// Where members hand in their values to something that outlasts them, as to a storage, they break nothing:
// one that leaves before it has handed them in is missing from the round, which ends once the others have
// noticed; one that leaves later is not.
//
//   member a  ══steps══╪ up ╪═══down═══╪   counts      round_s       until all have downloaded
//   member b  ══steps══╪ up ╪═x            counts      handed_in_s   until all have uploaded
//   member c  ══steps══╪═x                 does not    steps_s
//
// Members that go on without those that they do not hear (a deadline, a quorum) wait no longer for one
// that has left than for one that is late. Times until a member leaves, and until it is back, are exponential.
//
// Members that are ready hold the state. With checkpoints, one of them writes it to a storage after so
// many rounds, for which all wait, or beside the rounds that follow. If all that hold it have left, those
// that come back begin at the last checkpoint that has been written, and the rounds since then are undone.
// Without checkpoints the state outlives its holders.
#pragma once

#include <cstddef>
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
  double stays_s = 0;     // infinite: it never leaves
  double away_s = 0;      // until it is back
  double joins_s = 0;     // loads for so long before it can take part
  double restores_s = 0;  // loads for so long where only the checkpoint is left
  double saves_s = 0;     // writes a checkpoint for so long
  double per_round = 0;   // what it contributes to a round, tokens
};

struct RoundLength {
  double steps_s = 0;  // until the exchange begins
  double round_s = 0;  // until it has ended; infinite: it never does
  // When the members go on without those that they have not heard; infinite: they wait for all.
  double cutoff_s = std::numeric_limits<double>::infinity();
  // When the values of all members are where the others get them from, whoever leaves; infinite: only
  // those that stay to the end hand over theirs, and begin anew without one that leaves.
  double handed_in_s = std::numeric_limits<double>::infinity();
  // By kind, what a member contributes to it; none: MemberKind::per_round.
  std::span<const double> per_round = {};

  [[nodiscard]] double of_each(const MemberKind& one, std::size_t kind) const {
    return per_round.empty() ? one.per_round : per_round[kind];
  }
};

struct Membership {
  std::vector<MemberKind> kinds;
  // Of kinds, in which their members draw random times; none: as they are.
  std::vector<std::size_t> order = {};
  // Of so many members of each kind, of which at least one takes part.
  std::function<RoundLength(std::span<const int> members)> round;
  double detection_s = 0;
  // The first member that is there sums for the others: its leaving breaks an exchange all the same.
  bool is_led = false;
  int least = 1;       // members of a round, a quorum
  int save_every = 0;  // rounds from one checkpoint to the next; 0: none
  // Members wait for no checkpoint but one that is still being written when the next is due.
  bool saves_beside = false;

  [[nodiscard]] std::vector<std::size_t> in_order() const;
};

// Of rounds that were played for some time.
struct PlayedRounds {
  double time_s = 0;
  double kept = 0;      // of what members contributed
  double lost = 0;      // MemberKind::per_round of each that left too early to count in a round
  double members = 0;   // that count in a round, mean
  double heard = 0;     // of them, those that contribute to it
  double waited_s = 0;  // for members that had left: detection, and exchanges begun in vain
  double idle_s = 0;    // with fewer members than are needed
  double undone = 0;    // of what members had contributed since the last checkpoint
  double saved_s = 0;   // for checkpoints to be written
  std::int64_t rounds = 0, leaves = 0;
  std::vector<double> saves = {};  // by kind of the member that wrote it
};
// Rounds between two events last as long as the first of them, so that the work grows with the number
// of members that leave or come back. The same seed gives the same events, which are added to `month`
// if there is one.
[[nodiscard]] PlayedRounds play_rounds(const Membership& membership, double span_s,
                                       std::uint64_t seed, Month* month = nullptr);

// Plain arithmetic: what is kept per second if a round takes as long as it does with the mean number
// of members, rounded over all kinds, and nobody waits for those that leave. In a round of R seconds a
// member counts if it is ready at the start and stays until it has handed in its values after H, R or
// less:
//
//   per_round / R x stays exp(-(joins + H) / stays) / (stays + away)
//
// Each round has its share of a checkpoint; beside rounds, of what that takes longer than they do.
// Nothing is undone.
[[nodiscard]] double expected_per_second(const Membership& membership);

// Share of the time in which a member is there and ready.
[[nodiscard]] double ready_share(const MemberKind& kind);

// The kind of which a member writes a checkpoint soonest. At least one kind has members.
[[nodiscard]] std::size_t saving_kind(const Membership& membership, std::span<const int> members);

}  // namespace sim
