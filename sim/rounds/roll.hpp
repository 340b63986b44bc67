// SPDX-License-Identifier: Apache-2.0
// The roll of a round that was played with all sites that are there: who is heard in time, and how the
// round is to go on without the others.
//
//   heard     its values have arrived at the first of the others, in time; of sites that meet a partner
//             in each round, at one of the partners
//   skipped   they arrive too late
//   gone      it drops out before, or its line goes down for good; or later, while others still need what
//             it sends, which breaks their exchange: its hops of a ring, its sums of an all_to_all, its
//             values for the last receiver. What it has handed in to storage, a syncer, a leader or its
//             partner needs it no more. Or the others do not reach it (sim/rounds/cut_off.hpp).
//
// The others go on without those that are not heard at the deadline, or when the quorum's grace is over;
// if an exchange breaks later than that, at once. Without either they wait forever.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/sites/plan_round.hpp"

namespace sim {

// Longer than any training; what has not ended by then waits for something that never comes.
inline constexpr Seconds kRoundLimit = Seconds::from_base(1e7);
[[nodiscard]] std::string round_limit_text();

// How long the sites wait for each other in a round; none: without limit. With a quorum, the grace
// period starts once it is complete.
struct Patience {
  std::optional<Seconds> deadline;
  int quorum = 0;
  Seconds grace;

  [[nodiscard]] bool is_limited() const { return deadline || quorum > 0; }
};

[[nodiscard]] bool any_heard(const std::vector<Fate>& fates);

// When an operation ended: 0 if there is none, infinite if it never did.
[[nodiscard]] double end_of(const Timeline& timeline, OperationId id);

struct Roll {
  // By place, from the start of a round: when the first of the others has heard it; infinite for one that
  // is gone, or never heard.
  std::vector<double> heard_s = {};
  // When the sites go on without those that they have not heard; infinite if they wait for all.
  double cutoff_s = std::numeric_limits<double>::infinity();
  std::vector<int> quorum = {};  // places, if the cutoff is the end of its grace
  std::vector<Fate> fates = {};  // by place
  std::vector<int> broke = {};   // places that were lost during an exchange
  double broken_s = 0;           // when the last of them was
  // Places that are lost after what they handed in was heard, before they have the result.
  std::vector<int> left = {};

  [[nodiscard]] bool all_heard() const;
  // Without those that are not heard.
  [[nodiscard]] bool goes_on() const;
};

// Of a round that the places that are gone do not take part in: those that are lost first of the others,
// before they are heard, are gone too. Returns whether some are: without them, others may be heard sooner.
[[nodiscard]] bool add_gone(const WideArea& area, const RoundPlan& plan, const Timeline& timeline,
                            std::vector<Fate>& fates);
// Of the round that add_gone() leaves, with its fates. Those that are gone do not count towards a quorum.
[[nodiscard]] Roll call_roll(const Patience& patience, const RoundPlan& plan,
                             const Timeline& timeline, std::vector<Fate> fates);
// Of a round that is played as the roll says: adds those that break its exchange first, and those that
// nobody reaches without them. Returns whether some do.
[[nodiscard]] bool add_broken(const WideArea& area, const Exchange& exchange, const RoundPlan& plan,
                              const Timeline& timeline, Roll& roll);
// Of such a round that nobody breaks: adds those that leave before they have its result, which the others
// do not wait for. Returns whether some do.
[[nodiscard]] bool add_left(const WideArea& area, const RoundShape& shape, const RoundPlan& plan,
                            const Timeline& timeline, Roll& roll);

}  // namespace sim
