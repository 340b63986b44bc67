// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/roll.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/rounds/cut_off.hpp"

namespace sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The end of an operation, from the start of its round.
double in_round(const RoundPlan& plan, const Timeline& timeline, OperationId id) {
  if (id == kNoOperation) return 0;
  const auto next = std::ranges::upper_bound(plan.begins, id);
  return end_of(timeline, id) - end_of(timeline, *std::prev(next));
}

// When the first of the others has heard the place, or has given it up: who hears nobody does not silence
// the others.
double first_end(const RoundPlan& plan, const Timeline& timeline, std::size_t place) {
  double first = kNever;
  for (const OperationId id : plan.arrivals[place]) {
    first = std::min(first, in_round(plan, timeline, id));
  }
  return first;
}

// The same, infinite if all gave it up.
double arrival(const RoundPlan& plan, const Timeline& timeline, std::size_t place) {
  double first = kNever;
  for (const OperationId id : plan.arrivals[place]) {
    const bool whole = id == kNoOperation || timeline.carried[id] == 1;
    if (whole) first = std::min(first, in_round(plan, timeline, id));
  }
  return first;
}

std::optional<double> lost_s(const WideArea& area, std::size_t place) {
  const auto at = lost_at(site_of(area, static_cast<int>(place)));
  return at ? std::optional(at->base()) : std::nullopt;
}

// Of the places that are heard and leave, those that are lost first.
template <class Leaves>
std::vector<std::size_t> first_to_leave(const WideArea& area, const std::vector<Fate>& fates,
                                        Leaves leaves) {
  std::vector<std::size_t> first;
  double at = kNever;
  for (std::size_t place = 0; place < fates.size(); ++place) {
    const auto drops = lost_s(area, place);
    if (!drops || *drops > at || fates[place] != Fate::heard || !leaves(place, *drops)) continue;
    if (*drops < at) first.clear();
    at = *drops;
    first.push_back(place);
  }
  return first;
}

// At the deadline, or when the quorum's grace is over.
void set_cutoff(const Patience& patience, Roll& roll) {
  if (patience.deadline) roll.cutoff_s = patience.deadline->base();
  if (patience.quorum <= 0 || std::ssize(roll.heard_s) <= patience.quorum) return;
  const auto heard_s = [&](int place) { return roll.heard_s[static_cast<std::size_t>(place)]; };
  std::vector<int> places(roll.heard_s.size());
  std::iota(places.begin(), places.end(), 0);
  std::ranges::stable_sort(places, {}, heard_s);
  places.resize(static_cast<std::size_t>(patience.quorum));
  const double grace_over = heard_s(places.back()) + patience.grace.base();
  if (grace_over >= roll.cutoff_s) return;
  roll.cutoff_s = grace_over;
  roll.quorum = std::move(places);
}

Fate fate_of(double arrived_s, double latest_s) {
  if (arrived_s > latest_s) return Fate::skipped;
  return std::isinf(arrived_s) ? Fate::gone : Fate::heard;
}

}  // namespace

std::string round_limit_text() { return fmt::format("{:.0f} days", kRoundLimit / 86400_s); }

double end_of(const Timeline& timeline, OperationId id) {
  const double end = id == kNoOperation ? 0 : timeline.end_s[id];
  return std::isnan(end) ? kNever : end;
}

bool any_heard(const std::vector<Fate>& fates) {
  return std::ranges::find(fates, Fate::heard) != fates.end();
}

bool Roll::all_heard() const {
  return std::ranges::all_of(fates, [](Fate fate) { return fate == Fate::heard; });
}

bool Roll::goes_on() const { return !std::isinf(cutoff_s) && any_heard(fates); }

bool add_gone(const WideArea& area, const RoundPlan& plan, const Timeline& timeline,
              std::vector<Fate>& fates) {
  fates.resize(plan.arrivals.size(), Fate::heard);
  const auto gone = first_to_leave(area, fates, [&](std::size_t place, double drops_s) {
    return first_end(plan, timeline, place) > drops_s;
  });
  for (const std::size_t place : gone) fates[place] = Fate::gone;
  return !gone.empty();
}

Roll call_roll(const Patience& patience, const RoundPlan& plan, const Timeline& timeline,
               std::vector<Fate> fates) {
  Roll roll{.fates = std::move(fates)};
  const std::size_t places = roll.fates.size();
  for (std::size_t place = 0; place < places; ++place) {
    const bool there = roll.fates[place] != Fate::gone;
    roll.heard_s.push_back(there ? arrival(plan, timeline, place) : kNever);
  }
  set_cutoff(patience, roll);
  // A site that is alone is late for nobody.
  const bool alone = std::ranges::count(roll.fates, Fate::gone) + 1 == std::ssize(roll.fates);
  for (std::size_t place = 0; place < places; ++place) {
    Fate& fate = roll.fates[place];
    if (fate != Fate::gone) fate = fate_of(roll.heard_s[place], alone ? kNever : roll.cutoff_s);
  }
  return roll;
}

bool add_broken(const WideArea& area, const Exchange& exchange, const RoundPlan& plan,
                const Timeline& timeline, Roll& roll) {
  const auto gone = first_to_leave(area, roll.fates, [&](std::size_t place, double drops_s) {
    return std::ranges::any_of(
        plan.sends[place], [&](OperationId id) { return in_round(plan, timeline, id) > drops_s; });
  });
  if (gone.empty()) return false;
  for (const std::size_t place : gone) {
    roll.fates[place] = Fate::gone;
    roll.broke.push_back(static_cast<int>(place));
  }
  roll.broken_s = *lost_s(area, gone.front());
  add_cut_off(area, exchange, roll.fates);
  return true;
}

bool add_left(const WideArea& area, const RoundShape& shape, const RoundPlan& plan,
              const Timeline& timeline, Roll& roll) {
  const std::size_t before = roll.left.size();
  for (std::size_t place = 0; place < roll.fates.size(); ++place) {
    const auto number = static_cast<int>(place);
    const auto lost = lost_s(area, place);
    if (!lost || roll.fates[place] != Fate::heard || number == shape.leader()) continue;
    if (std::ranges::find(roll.left, number) != roll.left.end()) continue;
    const bool waits = std::ranges::any_of(plan.results, [&](const auto& results) {
      return in_round(plan, timeline, results[place]) > *lost;
    });
    if (waits) roll.left.push_back(number);
  }
  return roll.left.size() > before;
}

}  // namespace sim
