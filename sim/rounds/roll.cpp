// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/roll.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// When the first of the others has heard the place: who hears nobody does not silence the others.
double arrival(const RoundPlan& plan, const Timeline& timeline, std::size_t place) {
  const auto& arrivals = plan.arrivals[place];
  if (arrivals.empty()) return 0;  // it had nobody to send to
  double first = kNever;
  for (const OperationId id : arrivals) first = std::min(first, end_of(timeline, id));
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

bool any_heard(const Roll& roll) {
  return std::ranges::find(roll.fates, Fate::heard) != roll.fates.end();
}

std::optional<double> drops_out(const WideArea& area, std::size_t place) {
  const auto& at = site_of(area, static_cast<int>(place)).drops_out;
  return at ? std::optional(at->base()) : std::nullopt;
}

Fate fate_of(const WideArea& area, const Roll& roll, std::size_t place) {
  const double arrived = roll.heard_s[place];
  const auto drops = drops_out(area, place);
  if (drops && arrived > *drops) return Fate::gone;
  if (arrived > roll.cutoff_s) return Fate::skipped;
  return std::isinf(arrived) ? Fate::gone : Fate::heard;
}

// What the others do without one that drops out.
const char* what_others_do(const Roll& roll) {
  return roll.goes_on()     ? "the others go on without it"
         : !any_heard(roll) ? "no site is heard"
                            : "the others wait forever: set a `deadline`";
}

// Whether others still need what it sends when it drops out.
bool breaks_off(const WideArea& area, const RoundPlan& plan, const Timeline& timeline,
                const Roll& roll, std::size_t place) {
  const auto drops = drops_out(area, place);
  if (!drops || roll.fates[place] != Fate::heard) return false;
  return std::ranges::any_of(plan.sends[place],
                             [&](OperationId id) { return end_of(timeline, id) > *drops; });
}

// Why a site is not heard, and what the others do.
std::string event_of(const WideArea& area, const Roll& roll, std::size_t place) {
  const bool limited = !std::isinf(roll.cutoff_s);
  const double arrived = roll.heard_s[place];
  const auto drops = drops_out(area, place);
  if (drops && arrived > *drops) {
    return fmt::format("drops out at {}; {}", to_text(Seconds::from_base(*drops)),
                       what_others_do(roll));
  }
  const bool comes = !std::isinf(arrived);
  if (!comes && !roll.goes_on()) {
    return fmt::format("is not heard within {}: a link on its path is down or too slow{}",
                       round_limit_text(), limited ? "" : "; set a `deadline`");
  }
  return fmt::format("{} {}; {}", comes ? "arrives too late at" : "is not heard by",
                     to_text(Seconds::from_base(comes ? arrived : roll.cutoff_s)),
                     roll.goes_on() ? "the others go on without it"
                                    : "no site is heard by then: set a later `deadline`");
}

}  // namespace

std::string round_limit_text() { return fmt::format("{:.0f} days", kRoundLimit / 86400_s); }

double end_of(const Timeline& timeline, OperationId id) {
  const double end = id == kNoOperation ? 0 : timeline.end_s[id];
  return std::isnan(end) ? kNever : end;
}

bool Roll::goes_on() const { return !std::isinf(cutoff_s) && any_heard(*this); }

Roll call_roll(const WideArea& area, const Patience& patience, const RoundPlan& plan,
               const Timeline& timeline) {
  Roll roll;
  const auto places = static_cast<std::size_t>(place_count(area));
  for (std::size_t place = 0; place < places; ++place) {
    roll.heard_s.push_back(arrival(plan, timeline, place));
  }
  set_cutoff(patience, roll);
  for (std::size_t place = 0; place < places; ++place) {
    roll.fates.push_back(fate_of(area, roll, place));
  }
  for (std::size_t place = 0; place < places; ++place) {
    if (roll.fates[place] == Fate::heard) continue;
    roll.events.push_back(place_name(area, static_cast<int>(place)) + ": " +
                          event_of(area, roll, place));
  }
  return roll;
}

bool add_broken(const WideArea& area, const RoundPlan& plan, const Timeline& timeline, Roll& roll) {
  std::vector<std::size_t> gone;
  const auto at = [&](std::size_t place) { return *drops_out(area, place); };
  for (std::size_t place = 0; place < roll.fates.size(); ++place) {
    if (!breaks_off(area, plan, timeline, roll, place)) continue;
    if (!gone.empty() && at(place) < at(gone.front())) gone.clear();
    if (gone.empty() || at(place) == at(gone.front())) gone.push_back(place);
  }
  if (gone.empty()) return false;
  for (const std::size_t place : gone) roll.fates[place] = Fate::gone;
  roll.broken_s = at(gone.front());
  for (const std::size_t place : gone) {
    roll.events.push_back(fmt::format(
        "{}: drops out at {}, during the exchange; {}", place_name(area, static_cast<int>(place)),
        to_text(Seconds::from_base(roll.broken_s)), what_others_do(roll)));
  }
  return true;
}

}  // namespace sim
