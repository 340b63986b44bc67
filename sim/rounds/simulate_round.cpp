// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/simulate_round.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/quantity_text.hpp"
#include "sim/rounds/roll.hpp"
#include "sim/schedule/wiring.hpp"
#include "sim/sites/pairings.hpp"
#include "sim/sites/regions.hpp"

namespace sim {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void play(const WideArea& area, RoundResult& result) {
  result.plan = plan_round(area, result.shape);
  result.wiring = wire(result.plan.schedule, WideTopology(area));
  result.timeline =
      simulate(result.plan.schedule, result.wiring, {.outages = {}, .time_limit = kRoundLimit});
}

// The last end of a round over the sites that are in it.
double end_of_round(const RoundResult& result, std::size_t round) {
  double end = 0;
  for (std::size_t place = 0; place < result.plan.ends[round].size(); ++place) {
    if (!result.is_heard(place)) continue;
    end = std::max(end, result.end_s(result.plan.ends[round][place]));
  }
  return end;
}

// What the slowest site computes in a round.
double slowest_steps(const RoundResult& result) {
  double seconds = 0;
  for (std::size_t place = 0; place < result.shape.sites.size(); ++place) {
    if (!result.is_heard(place)) continue;
    seconds = std::max(seconds, result.shape.steps(place) * result.shape.sites[place].step_s);
  }
  return seconds;
}

// What the slowest site copies between its GPUs and hosts in a round, the mean over a cycle of them.
double slowest_copies(const RoundResult& result) {
  const RoundShape& shape = result.shape;
  double seconds = 0;
  for (std::size_t place = 0; place < shape.sites.size(); ++place) {
    if (!result.is_heard(place)) continue;
    double of_cycle = 0;
    for (int round = 0; round < shape.across_every; ++round) {
      of_cycle += shape.fragments * shape.work(round)[place].copies.total_s();
    }
    seconds = std::max(seconds, of_cycle / shape.across_every);
  }
  return seconds;
}

// What the fullest link has to carry of a round between the sites that are heard; and each of them
// sends to the others too.
double fullest_link(const RoundResult& result) {
  const Schedule& schedule = result.plan.schedule;
  const auto counts = [&](int place) {
    const auto i = static_cast<std::size_t>(place);
    return i >= result.shape.sites.size() || result.is_heard(i);  // the storage is always there
  };
  std::vector<double> bytes(result.wiring.links.size());
  for (const Operation& operation : schedule.operations) {
    if (operation.kind != OperationKind::flow) continue;
    const auto& hops = schedule.routes[operation.route].hops;
    if (hops.empty()) continue;
    if (!counts(hops.front().source)) continue;  // of a ring all are heard
    const bool arrives = counts(hops.back().destination);
    const auto leaves = [&](LinkId link) {
      return std::ranges::any_of(hops,
                                 [=](const Hop& hop) { return link == uplink_of(hop.source); });
    };
    for (const auto& [link, times] : result.wiring.routes[operation.route]) {
      if (arrives || leaves(link)) bytes[link] += operation.bytes * times;
    }
  }
  const double played_s = result.timeline.makespan_s;
  double fullest = 0;
  for (std::size_t link = 0; link < bytes.size(); ++link) {
    if (bytes[link] <= 0) continue;
    fullest = std::max(fullest, bytes[link] / capacity_bytes(result.wiring.links[link], played_s));
  }
  return fullest * played_s / result.shape.rounds;
}

// Into a steady state where rounds overlap or differ: from the end of the first one to that of the last
// like it. Some sites or links may run ahead for those few rounds, but none does for ever. Without
// overlap, the rounds without a site are those in which the others waited for it.
double round_time(const RoundResult& result) {
  const auto cycle = static_cast<std::size_t>(std::min(result.shape.cycle(), result.shape.rounds));
  const std::size_t last = result.plan.ends.size() - cycle;
  const bool waited = result.outcome == RoundOutcome::partial && result.shape.overlap_steps == 0;
  if (last == 0 || (cycle > 1 && waited)) {
    return end_of_round(result, cycle - 1) / static_cast<double>(cycle);
  }
  const double between =
      (end_of_round(result, last) - end_of_round(result, 0)) / static_cast<double>(last);
  return std::max({between, slowest_steps(result), slowest_copies(result), fullest_link(result)});
}

// The round as it would be if nobody waited for results. Where fragments follow one another, those who
// wait for a late site's first ones come late with the last ones too, and would hide it.
RoundShape without_waits(RoundShape shape) {
  shape.delayed = true;
  for (std::size_t place = 0; place < shape.sites.size(); ++place) {
    shape.overlap_steps = std::max(shape.overlap_steps, shape.steps(place));
  }
  shape.rounds = 1;
  return shape;
}

// At the end of the round at the latest: what overlaps steps may still be on its way then.
double handed_in(const RoundResult& result) {
  double last = 0;
  for (std::size_t place = 0; place < result.heard_s.size(); ++place) {
    if (result.is_heard(place)) last = std::max(last, result.heard_s[place]);
  }
  return std::min(last, result.round_s);
}

// As many cycles as before, of those that are left.
void play_whole_cycles(int cycle_before, RoundShape& shape) {
  if (shape.rounds % cycle_before == 0) shape.rounds = shape.rounds / cycle_before * shape.cycle();
}

}  // namespace

double RoundResult::end_s(OperationId id) const {
  const double end = id == kNoOperation ? 0 : timeline.end_s[id];
  return std::isnan(end) ? kInfinity : end;
}

double RoundResult::period_s(std::size_t place) const {
  if (is_heard(place) || !shape.delayed) return round_s;
  const std::size_t rounds = plan.ends.size();
  const double ends =
      end_s(plan.ends.back()[place]) - (rounds > 1 ? end_s(plan.ends.front()[place]) : 0);
  const double own = ends / static_cast<double>(std::max<std::size_t>(1, rounds - 1));
  return std::max({round_s, own, shape.steps(place) * shape.sites[place].step_s});
}

const char* outcome_name(RoundOutcome outcome) {
  switch (outcome) {
    case RoundOutcome::complete:
      return "complete";
    case RoundOutcome::partial:
      return "partial";
    case RoundOutcome::aborted:
      return "aborted";
  }
  return "";
}

RoundResult simulate_round(const WideArea& area, RoundShape shape, const Patience& patience) {
  const bool hides_late_sites = patience.quorum > 0 && shape.fragments > 1;
  RoundResult result{.shape = hides_late_sites ? without_waits(shape) : shape};
  play(area, result);
  int cycle = shape.cycle();
  Roll roll(area, patience, result);
  bool again = roll.call();
  if (hides_late_sites && result.outcome != RoundOutcome::aborted) {
    shape.fates = result.shape.fates;
    // It is that of a round's last fragment; where exchanges overlap steps, the others would wait for
    // it too.
    if (shape.overlap_steps == 0) shape.cutoff_s = result.shape.cutoff_s;
    result.shape = std::move(shape);
    again = true;
  }
  for (again = again || roll.call_again(); again; again = roll.call_again()) {
    play_whole_cycles(cycle, result.shape);
    cycle = result.shape.cycle();
    play(area, result);
  }
  const bool ended = result.outcome != RoundOutcome::aborted;
  result.round_s = ended ? round_time(result) : kInfinity;
  if (result.shape.exchange->outlasts_leavers) result.handed_in_s = handed_in(result);
  if (ended && std::isinf(result.round_s)) {
    result.outcome = RoundOutcome::aborted;
    result.events.push_back(
        fmt::format("the exchange does not finish within {}: a link is down or too slow, and every "
                    "site takes part; under a scheme that sends to each site separately, "
                    "`deadline` leaves a late site out",
                    to_text(kRoundLimit)));
  }
  return result;
}

int rounds_played(const RoundContext& context, const Scheme& scheme) {
  const SiteExchange exchange = by_regions(*scheme.between_sites, context.area);
  const int cycles = exchange.overlap_steps > 0 ? 3 : exchange.across_every > 1 ? 2 : 1;
  return cycles * (exchange.exchange->joins_two ? pairing_count(place_count(context.area))
                                                : exchange.across_every);
}

RoundResult simulate_round(const RoundContext& context, const Scheme& scheme,
                           const std::optional<Seconds>& deadline) {
  return simulate_round(context, scheme, inner_steps(context, scheme), deadline);
}

RoundResult simulate_round(const RoundContext& context, const Scheme& scheme,
                           std::span<const InnerStep> inner_steps,
                           const std::optional<Seconds>& deadline) {
  const SiteExchange& exchange = *scheme.between_sites;
  RoundShape shape = round_shape(context, scheme, inner_steps);
  shape.rounds = rounds_played(context, scheme);
  return simulate_round(context.area, std::move(shape),
                        {.deadline = deadline, .quorum = exchange.quorum, .grace = exchange.grace});
}

}  // namespace sim
