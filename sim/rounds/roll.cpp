// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/roll.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

constexpr double kNotYet = std::numeric_limits<double>::infinity();

// When the others go on: at the deadline, or when the quorum's grace is over.
std::optional<double> cutoff(const Patience& patience, const std::vector<double>& arrivals) {
  std::optional<double> at;
  if (patience.deadline) at = patience.deadline->base();
  if (patience.quorum > 0 && static_cast<std::size_t>(patience.quorum) < arrivals.size()) {
    std::vector<double> sorted = arrivals;
    std::sort(sorted.begin(), sorted.end());
    const double enough = sorted[static_cast<std::size_t>(patience.quorum) - 1];
    at = std::min(at.value_or(kNotYet), enough + patience.grace.base());
  }
  return at;
}

}  // namespace

bool Roll::call() {
  const auto places = static_cast<std::size_t>(place_count(area_));
  std::vector<double>& arrivals = result_.heard_s;
  for (std::size_t place = 0; place < places; ++place) arrivals.push_back(arrival(place));
  limit_ = cutoff(patience_, arrivals);
  result_.cutoff_s = limit_.value_or(kNotYet);
  auto& fates = result_.shape.fates;
  for (std::size_t place = 0; place < places; ++place) {
    fates.push_back(fate_of(place, arrivals[place]));
  }
  if (std::ranges::count(fates, Fate::heard) == std::ssize(fates)) return false;
  settle();
  for (std::size_t place = 0; place < places; ++place) note(place, arrivals[place]);
  result_.shape.cutoff_s = limit_;
  return goes_on_;
}

bool Roll::call_again() {
  if (result_.outcome == RoundOutcome::aborted) return false;
  auto& fates = result_.shape.fates;
  std::vector<std::size_t> gone;
  for (std::size_t place = 0; place < fates.size(); ++place) {
    if (!breaks_off(place)) continue;
    if (!gone.empty() && *drops_out(place) < *drops_out(gone.front())) gone.clear();
    if (gone.empty() || *drops_out(place) == *drops_out(gone.front())) gone.push_back(place);
  }
  if (gone.empty()) return false;
  for (const std::size_t place : gone) fates[place] = Fate::gone;
  settle();
  const double drops = *drops_out(gone.front());
  for (const std::size_t place : gone) {
    tell(place, fmt::format("drops out at {}, during the exchange; {}",
                            to_text(Seconds::from_base(drops)), what_others_do()));
  }
  result_.shape.cutoff_s = std::max(limit_.value_or(drops), drops);
  return goes_on_;
}

// When the first of the others has heard it: who hears nobody does not silence the others.
double Roll::arrival(std::size_t place) const {
  const auto& arrivals = result_.plan.arrivals[place];
  if (arrivals.empty()) return 0;  // it had nobody to send to
  double first = kNotYet;
  for (const OperationId id : arrivals) first = std::min(first, result_.end_s(id));
  return first;
}

std::optional<double> Roll::drops_out(std::size_t place) const {
  const auto& at = site_of(area_, static_cast<int>(place)).drops_out;
  return at ? std::optional(at->base()) : std::nullopt;
}

Fate Roll::fate_of(std::size_t place, double arrived) const {
  const auto drops = drops_out(place);
  if (drops && arrived > *drops) return Fate::gone;
  if (limit_ && arrived > *limit_) return Fate::skipped;
  return std::isinf(arrived) ? Fate::gone : Fate::heard;
}

bool Roll::breaks_off(std::size_t place) const {
  const auto drops = drops_out(place);
  if (!drops || !result_.is_heard(place)) return false;
  return std::ranges::any_of(result_.plan.sends[place],
                             [&](OperationId id) { return result_.end_s(id) > *drops; });
}

void Roll::settle() {
  const auto& fates = result_.shape.fates;
  goes_on_ = limit_ && std::ranges::find(fates, Fate::heard) != fates.end();
  result_.outcome = goes_on_ ? RoundOutcome::partial : RoundOutcome::aborted;
}

const char* Roll::what_others_do() const {
  return goes_on_ ? "the others go on without it"
         : limit_ ? "no site is heard by then"
                  : "the others wait forever: set a `deadline`";
}

// Of a site that is not heard.
void Roll::note(std::size_t place, double arrived) {
  const Fate fate = result_.shape.fates[place];
  if (fate == Fate::heard) return;
  const auto drops = drops_out(place);
  std::string what;
  if (drops && arrived > *drops) {
    what =
        fmt::format("drops out at {}; {}", to_text(Seconds::from_base(*drops)), what_others_do());
  } else if (limit_) {
    what = fmt::format("{} at {}; {}", std::isinf(arrived) ? "is not heard" : "arrives too late",
                       to_text(Seconds::from_base(std::isinf(arrived) ? *limit_ : arrived)),
                       what_others_do());
  } else {
    what = fmt::format(
        "is not heard within {}: a link on its path is down or too slow; set a `deadline`",
        to_text(kRoundLimit));
  }
  tell(place, what);
}

void Roll::tell(std::size_t place, const std::string& what) {
  result_.events.push_back(place_name(area_, static_cast<int>(place)) + ": " + what);
}

}  // namespace sim
