// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/simulate_round.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "sim/rounds/cut_off.hpp"
#include "sim/rounds/never_ends.hpp"
#include "sim/rounds/unheard.hpp"
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

// The steps of the slowest site, and how late it begins them.
double slowest_steps(const RoundResult& result) {
  double seconds = 0;
  for (std::size_t place = 0; place < result.shape.sites.size(); ++place) {
    if (!result.is_heard(place)) continue;
    const SiteWork& work = result.shape.sites[place];
    seconds = std::max(seconds, work.start_s + result.shape.steps(place) * work.step_s);
  }
  return seconds;
}

// Of the bytes that a flow brings over a link.
using Counts = std::function<bool(const std::vector<Hop>& hops, LinkId link)>;

// By wired link: seconds that it needs for what counts of what it carries in a round.
std::vector<double> link_seconds(const RoundResult& result, const Counts& counts) {
  const Schedule& schedule = result.plan.schedule;
  std::vector<double> seconds(result.wiring.links.size());
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.kind != OperationKind::flow) continue;
    const auto& hops = schedule.routes[operation.route].hops;
    const double bytes = result.timeline.carried_bytes(schedule, id);
    for (const auto& [link, times] : result.wiring.routes[operation.route]) {
      if (counts(hops, link)) seconds[link] += bytes * times;
    }
  }
  const double played_s = result.timeline.makespan_s;
  for (std::size_t link = 0; link < seconds.size(); ++link) {
    if (seconds[link] <= 0) continue;
    const double rate = capacity_bytes(result.wiring.links[link], played_s) / played_s;
    seconds[link] /= rate * result.shape.rounds;
  }
  return seconds;
}

// What the fullest link has to carry of a round. What those send that train at their own paces is not
// all of one, but each of the others sends to them too.
double fullest_link(const RoundResult& result) {
  const bool all = !result.shape.sums_later();
  const auto heard = [&](int place) {
    const auto i = static_cast<std::size_t>(place);
    return all || i >= result.shape.sites.size() || result.is_heard(i);  // a syncer is always there
  };
  const std::vector<double> seconds =
      link_seconds(result, [&](const std::vector<Hop>& hops, LinkId link) {
        const auto leaves = [=](const Hop& hop) { return link == uplink_of(hop.source); };
        return heard(hops.front().source) &&  // of a ring all are heard
               (heard(hops.back().destination) || std::ranges::any_of(hops, leaves));
      });
  return seconds.empty() ? 0 : *std::ranges::max_element(seconds);
}

// By place: what the links that it sends and receives over need for the bytes of all of a round.
std::vector<double> link_paces(const RoundResult& result) {
  const Schedule& schedule = result.plan.schedule;
  const auto links_s = link_seconds(result, [](const auto&, LinkId) { return true; });
  std::vector<double> seconds(result.shape.sites.size());
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.kind != OperationKind::flow) continue;
    double most = std::isnan(result.timeline.end_s[id]) ? kInfinity : 0;
    for (const auto& [link, times] : result.wiring.routes[operation.route]) {
      most = std::max(most, links_s[link]);
    }
    for (const Hop& hop : schedule.routes[operation.route].hops) {
      for (const int place : {hop.source, hop.destination}) {
        if (place >= schedule.ranks) continue;
        double& of_place = seconds[static_cast<std::size_t>(place)];
        of_place = std::max(of_place, most);
      }
    }
  }
  for (const std::vector<int>& places : schedule.alike) {
    for (const int place : places) {
      const double of_first = seconds[static_cast<std::size_t>(places.front())];
      seconds[static_cast<std::size_t>(place)] = of_first;
    }
  }
  return seconds;
}

// Of each place, between the ends of rounds; no shorter than its steps or what it sends and receives.
std::vector<double> own_paces(const RoundResult& result) {
  std::vector<double> paces = link_paces(result);
  const auto& ends = result.plan.ends;
  for (std::size_t place = 0; place < paces.size(); ++place) {
    double& pace = paces[place];
    const double end = result.end_s(ends.back()[place]);
    const double first = ends.size() > 1 ? result.end_s(ends.front()[place]) : 0;
    const double rounds = static_cast<double>(std::max<std::size_t>(1, ends.size() - 1));
    pace = std::isinf(end) ? end : std::max(pace, (end - first) / rounds);
    const SiteWork& work = result.shape.sites[place];
    pace = std::max({pace, result.round_s, work.start_s + result.shape.steps(place) * work.step_s});
  }
  return paces;
}

// Exchanges that overlap steps and wait for a cutoff need some rounds until they are like each other: the
// first one finds idle links, the second waits for the first, and only the third begins at its cutoff.
int settling_rounds(const RoundShape& shape) {
  const bool waits = shape.cutoff_s && shape.overlap_steps > 0 && shape.rounds > shape.cycle();
  return waits ? 2 * shape.cycle() : 0;
}

// In a steady state where rounds overlap or differ: from the end of a settled one to that of the last
// like it. Some sites or links may run ahead for those few rounds, but none does for ever.
double round_time(const RoundResult& result) {
  const CountedRounds rounds = counted_rounds(result);
  const double end = end_of_round(result, rounds.last);
  if (!rounds.settled) return end / rounds.count();
  if (std::isinf(end)) return end;
  const double between = (end - end_of_round(result, *rounds.settled)) / rounds.count();
  return std::max({between, slowest_steps(result), slowest_copies(result), fullest_link(result)});
}

// Of several exchanges in a round, whoever waits for a late site in one comes late to the next. Partners
// are late together, and judged by the rounds in which they meet others.
bool hides_who_is_late(const RoundShape& shape) {
  const auto exchanges = static_cast<std::size_t>(shape.fragments) * shape.sites[0].ready_s.size();
  return exchanges > 1 && !shape.exchange->joins_two;
}

// The round as it would be if nobody waited for the others.
RoundShape apart(RoundShape shape) {
  shape.apart = shape.delayed = true;
  for (std::size_t place = 0; place < shape.sites.size(); ++place) {
    shape.overlap_steps = std::max(shape.overlap_steps, shape.steps(place));
  }
  shape.rounds = 1;
  return shape;
}

// As it is played to call the roll. Partners wait for each other until the deadline of each round.
RoundShape before_the_roll(RoundShape shape, const Patience& patience) {
  if (hides_who_is_late(shape)) return patience.is_limited() ? apart(std::move(shape)) : shape;
  if (!shape.exchange->joins_two || !patience.deadline) return shape;
  shape.cutoff_s = patience.deadline->base();
  shape.rounds += settling_rounds(shape);
  return shape;
}

// Plays the shape with all sites that are there to be heard, and calls the roll.
RoundResult play_with_all(const WideArea& area, RoundShape shape, const Patience& patience,
                          Roll& roll) {
  std::vector<int> broke = std::move(roll.broke);
  RoundResult result{.shape = std::move(shape)};
  std::vector<Fate>& fates = result.shape.fates;
  std::vector<int> cut_off;
  do {
    // The largest group is another one where sites of the last one are gone.
    for (const int place : cut_off) fates[static_cast<std::size_t>(place)] = Fate::heard;
    cut_off = add_cut_off(area, *result.shape.exchange, fates);
    play(area, result);
  } while (add_gone(area, result.plan, result.timeline, fates) &&
           (!cut_off.empty() || any_heard(fates)));
  roll = call_roll(patience, result.plan, result.timeline, fates);
  roll.broke = std::move(broke);
  result.cutoff_s = roll.cutoff_s;
  result.heard_s = roll.heard_s;
  return result;
}

// The shape without those that are not heard, and with the rounds until the others are settled. Where
// exchanges of a round's fragments overlap steps, a grace only tells who is late.
RoundShape without_unheard(RoundShape shape, const Roll& roll, Seconds grace) {
  shape.fates = roll.fates;
  if (roll.quorum.empty() || roll.broken_s > 0) {
    shape.cutoff_s = std::max(roll.cutoff_s, roll.broken_s);
  } else if (shape.fragments == 1 || shape.overlap_steps == 0) {
    shape.grace = Grace{roll.quorum, grace.base()};
  }
  shape.rounds += settling_rounds(shape);
  return shape;
}

// The shape of those that begin anew without a leader that they have lost, to call the roll of. Whoever
// was too late for a deadline that has passed stays so: those that are heard wait for each other.
RoundShape begun_anew(RoundShape shape, const Roll& roll) {
  shape.anew_s = roll.broken_s;
  shape.fates = roll.fates;
  std::ranges::replace(shape.fates, Fate::skipped, Fate::heard);
  return shape;
}

// Whether sites that are there are never heard because a link between them is down, so that no deadline
// helps: nobody is heard; or, without a deadline, two that meet, which others would hear.
bool is_silent(const RoundResult& result) {
  const auto is_gone = [](Fate fate) { return fate == Fate::gone; };
  const auto is_never = [](double heard_s) { return std::isinf(heard_s); };
  return std::ranges::none_of(result.shape.fates, is_gone) &&
         (result.shape.exchange->joins_two && std::isinf(result.cutoff_s)
              ? std::ranges::any_of(result.heard_s, is_never)
              : std::ranges::all_of(result.heard_s, is_never));
}

// At the end of the round at the latest: what overlaps steps may still be on its way then.
double handed_in(const RoundResult& result) {
  double last = 0;
  for (std::size_t place = 0; place < result.heard_s.size(); ++place) {
    if (result.is_heard(place)) last = std::max(last, result.heard_s[place]);
  }
  return std::min(last, result.round_s);
}

}  // namespace

double RoundResult::end_s(OperationId id) const { return end_of(timeline, id); }

double RoundResult::period_s(std::size_t place) const {
  return paces_s.empty() || is_heard(place) ? round_s : paces_s[place];
}

CountedRounds counted_rounds(const RoundResult& result) {
  const auto cycle = static_cast<std::size_t>(std::min(result.shape.cycle(), result.shape.rounds));
  const std::size_t last = result.plan.ends.size() - cycle;
  if (last == 0) return {.cycle = cycle, .last = cycle - 1};
  const auto settled = static_cast<std::size_t>(settling_rounds(result.shape));
  return {.cycle = cycle, .settled = settled, .last = last};
}

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

RoundResult simulate_round(const WideArea& as_given, RoundShape shape, const Patience& patience) {
  const WideArea area = with_drop_outs(as_given);
  Roll roll;
  const auto call = [&](const RoundShape& whole) {
    return play_with_all(area, before_the_roll(whole, patience), patience, roll);
  };
  RoundResult result = call(shape);
  if (hides_who_is_late(shape) && !result.shape.apart && !roll.all_heard()) {
    result = play_with_all(area, apart(shape), patience, roll);
  }
  // If all partners are given up at the deadline, when they would be heard.
  if (shape.exchange->joins_two && !any_heard(roll.fates)) {
    result = play_with_all(area, shape, patience, roll);
  }
  const bool silent = is_silent(result);
  const auto aborts = [&] { return silent || (!roll.all_heard() && !roll.goes_on()); };
  bool again = result.shape.apart || !roll.all_heard();
  do {
    if (aborts()) break;
    if (again) {
      result.shape = roll.all_heard() ? shape : without_unheard(shape, roll, patience.grace);
      result.shape.left = roll.left;
      play(area, result);
    }
    const int leader = result.shape.leader();
    again = add_broken(area, *shape.exchange, result.plan, result.timeline, roll) ||
            add_left(area, result.shape, result.plan, result.timeline, roll);
    if (leader < 0 || roll.fates[static_cast<std::size_t>(leader)] != Fate::gone) continue;
    shape = begun_anew(std::move(shape), roll);
    const bool is_over = patience.deadline && patience.deadline->base() <= roll.broken_s;
    if (!is_over && shape.leader() >= 0) result = call(shape);
  } while (again);
  Unheard unheard = unheard_sites(as_given, *shape.exchange, roll);
  result.reasons = std::move(unheard.reasons);
  result.events = std::move(unheard.events);
  result.outcome = aborts()           ? RoundOutcome::aborted
                   : roll.all_heard() ? RoundOutcome::complete
                                      : RoundOutcome::partial;
  result.round_s = aborts() ? kInfinity : round_time(result);
  if (silent || (!aborts() && std::isinf(result.round_s))) {
    result.outcome = RoundOutcome::aborted;
    result.reasons = result.events = {why_it_never_ends(as_given, result)};
  } else if (!aborts() && !roll.all_heard() && result.shape.sums_later()) {
    result.paces_s = own_paces(result);
  }
  if (shape.exchange->outlasts_leavers) result.handed_in_s = handed_in(result);
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
