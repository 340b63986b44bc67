// SPDX-License-Identifier: Apache-2.0
// simulate_round(): plays rounds of a wide area, and reports the fate of sites that are late or
// drop out.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/rounds/roll.hpp"
#include "sim/rounds/site_work.hpp"
#include "sim/sites/plan_round.hpp"

namespace sim {

enum class RoundOutcome {
  complete,  // with every site's share
  partial,   // without the share of some sites
  aborted    // waits for something that never comes
};
[[nodiscard]] const char* outcome_name(RoundOutcome outcome);

struct RoundResult {
  RoundOutcome outcome = RoundOutcome::complete;
  // A line for each reason why sites are unheard, or why the round aborted; and the same with what the
  // others do, or could.
  std::vector<std::string> reasons, events;
  RoundShape shape;
  RoundPlan plan;
  Wiring wiring;  // of the plan's schedule
  Timeline timeline;
  // Time from one end of a round to the next, at the site that ends last; for a single round, from
  // its start. Infinite if the round was aborted.
  double round_s = 0;
  // See Roll. Without patience, a site that others wait for in one exchange comes late to the next
  // ones of the round, too.
  double cutoff_s = std::numeric_limits<double>::infinity();
  std::vector<double> heard_s = {};

  // When all that are heard have handed in their values, where a site that leaves later is missed by
  // nobody (Exchange::outlasts_leavers); infinite where the others begin anew without it.
  double handed_in_s = std::numeric_limits<double>::infinity();
  // By place, if what some hand in too late is taken into a later sum: their own time per round, at
  // least what their messages take; infinite if those never arrive.
  std::vector<double> paces_s = {};

  [[nodiscard]] bool is_heard(std::size_t place) const { return shape.fate(place) == Fate::heard; }
  // Of an operation of the plan: infinite if it never ends, 0 if there is none.
  [[nodiscard]] double end_s(OperationId id) const;
  // Time per round; of a site with a pace of its own, that.
  [[nodiscard]] double period_s(std::size_t place) const;
};

// Of the rounds that were played, those that give the time of one: from the end of `settled`, after which
// rounds are like each other, to that of `last`; or a single cycle from its start.
struct CountedRounds {
  std::size_t cycle = 1;
  std::optional<std::size_t> settled = {};  // none: from the start
  std::size_t last = 0;
  [[nodiscard]] double count() const {
    return static_cast<double>(settled ? last - *settled : cycle);
  }
};
[[nodiscard]] CountedRounds counted_rounds(const RoundResult& result);

// What the slowest site copies between its GPUs and hosts in a round, the mean over a cycle of them.
// If it is the round's time, part of it follows the rounds that were played.
[[nodiscard]] double slowest_copies(const RoundResult& result);

// Plays the shape. To find sites that exceed the patience or drop out, it plays the round with all
// sites first, then again without the missing ones.
[[nodiscard]] RoundResult simulate_round(const WideArea& area, RoundShape shape,
                                         const Patience& patience = {});

// For a model: simulates the inner steps, then the rounds.
[[nodiscard]] RoundResult simulate_round(const RoundContext& context, const Scheme& scheme,
                                         const std::optional<Seconds>& deadline = {});
// For known inner steps, by table of sites.
[[nodiscard]] RoundResult simulate_round(const RoundContext& context, const Scheme& scheme,
                                         std::span<const InnerStep> inner_steps,
                                         const std::optional<Seconds>& deadline = {});
// Number of rounds that it plays: several for schemes whose rounds overlap or differ.
[[nodiscard]] int rounds_played(const RoundContext& context, const Scheme& scheme);

}  // namespace sim
