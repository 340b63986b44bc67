// simulate_round(): plays rounds of a wide area, and says what became of sites that are late or
// drop out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/rounds/plan_round.hpp"
#include "sim/rounds/site_work.hpp"

namespace sim {

enum class RoundOutcome {
  complete,  // every site's share is in it
  partial,   // it went on without some
  aborted    // it waits for what never comes
};
[[nodiscard]] const char* outcome_name(RoundOutcome outcome);

struct RoundResult {
  RoundOutcome outcome = RoundOutcome::complete;
  std::vector<std::string> events;  // one line for each site that was not heard, or why it aborted
  RoundShape shape;
  RoundPlan plan;
  Wiring wiring;  // of the plan's schedule
  Timeline timeline;
  // From one end of a round to the next, of the site that ends last; a single round from its start.
  // Infinite where the round was aborted.
  double round_s = 0;

  // Of one place: the round's, but of a place that the others go on without, and which goes on
  // itself, what it takes at its own pace.
  [[nodiscard]] double period_s(std::size_t place) const;
};

// How long the sites wait for each other in a round; none: as long as it takes. With a quorum the
// window of grace counts from when it is there.
struct Patience {
  std::optional<Seconds> deadline;
  int quorum = 0;
  Seconds grace;
};

// Plays the shape. A site that is late beyond patience, or that drops out, is found by playing the
// round with all of them first; then it is played again without what did not come.
[[nodiscard]] RoundResult simulate_round(const WideArea& area, RoundShape shape,
                                         const Patience& patience = {});

// Of a model: simulates the inner steps, then the rounds.
[[nodiscard]] RoundResult simulate_round(const RoundContext& context, const OuterScheme& scheme,
                                         const std::optional<Seconds>& deadline = {});
// Of inner steps that are known, by table of sites.
[[nodiscard]] RoundResult simulate_round(const RoundContext& context, const OuterScheme& scheme,
                                         std::span<const InnerStep> inner_steps,
                                         const std::optional<Seconds>& deadline = {});
// Rounds that it plays: those of schemes whose rounds overlap or differ are several.
[[nodiscard]] int rounds_played(const RoundContext& context, const OuterScheme& scheme);

}  // namespace sim
