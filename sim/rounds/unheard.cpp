// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/unheard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/rounds/cut_off.hpp"

namespace sim {
namespace {

// Sites that are not heard for the same reason. Which of two forms of a word goes with their number.
struct Missing {
  std::vector<std::size_t> places;  // ascending
  [[nodiscard]] const char* form(const char* of_one, const char* of_more) const {
    return places.size() == 1 ? of_one : of_more;
  }
};

// What the others do without them.
std::string what_others_do(const Roll& roll, const Missing& unheard) {
  if (roll.goes_on()) return fmt::format("the others go on without {}", unheard.form("it", "them"));
  return any_heard(roll.fates) ? "the others wait forever: set a `deadline`" : "no site is heard";
}

std::string text_of_loss(const WideArea& area, const Missing& unheard) {
  const Site& site = site_of(area, static_cast<int>(unheard.places.front()));
  const Seconds at = *lost_at(site);
  return site.drops_out == at
             ? fmt::format("{} out at {}", unheard.form("drops", "drop"), to_text(at))
             : fmt::format("{} down for good at {}",
                           unheard.form("its line goes", "their lines go"), to_text(at));
}

struct Reason {
  std::string why, then;  // what the others do
};

// Why sites are not heard.
Reason reason_of(const WideArea& area, const Exchange& exchange, const Roll& roll,
                 const Missing& unheard) {
  const std::size_t place = unheard.places.front();
  const double arrived = roll.heard_s[place];
  if (std::ranges::find(roll.broke, static_cast<int>(place)) != roll.broke.end()) {
    return {text_of_loss(area, unheard) + ", during the exchange", what_others_do(roll, unheard)};
  }
  if (roll.fates[place] == Fate::gone) {
    const std::string cut_off = why_cut_off(area, exchange, roll.fates, static_cast<int>(place));
    if (!cut_off.empty()) return {cut_off, what_others_do(roll, unheard)};
  }
  const auto lost = lost_at(site_of(area, static_cast<int>(place)));
  if (lost && arrived > lost->base()) {
    return {text_of_loss(area, unheard), what_others_do(roll, unheard)};
  }
  const bool comes = !std::isinf(arrived);
  const char* is = unheard.form("is", "are");
  if (!comes && !roll.goes_on()) {
    return {fmt::format("{} not heard within {}: a link on {} path is down or too slow", is,
                        round_limit_text(), unheard.form("its", "their")),
            std::isinf(roll.cutoff_s) ? "set a `deadline`" : ""};
  }
  return {fmt::format("{} {}",
                      comes ? fmt::format("{} too late at", unheard.form("arrives", "arrive"))
                            : fmt::format("{} not heard by", is),
                      to_text(Seconds::from_base(comes ? arrived : roll.cutoff_s))),
          roll.goes_on() ? what_others_do(roll, unheard)
                         : "no site is heard by then: set a later `deadline`"};
}

// "a, peer_0 to peer_17": those of a table that follow each other by their ends.
std::string names_of(const WideArea& area, std::span<const std::size_t> places) {
  const auto table = [&](std::size_t i) { return &site_of(area, static_cast<int>(places[i])); };
  const auto name = [&](std::size_t i) { return place_name(area, static_cast<int>(places[i])); };
  std::vector<std::string> names;
  for (std::size_t first = 0; first < places.size();) {
    std::size_t last = first;
    while (last + 1 < places.size() && places[last + 1] == places[last] + 1 &&
           table(last + 1) == table(first)) {
      ++last;
    }
    if (last < first + 2) last = first;
    names.push_back(last == first ? name(first) : name(first) + " to " + name(last));
    first = last + 1;
  }
  return joined(names);
}

}  // namespace

Unheard unheard_sites(const WideArea& area, const Exchange& exchange, const Roll& roll) {
  const auto reason_for = [&](const Missing& one) { return reason_of(area, exchange, roll, one); };
  std::vector<std::pair<std::string, Missing>> all;  // in the order of the first site of each
  for (std::size_t place = 0; place < roll.fates.size(); ++place) {
    if (roll.fates[place] == Fate::heard) continue;
    const std::string why = reason_for({{place}}).why;
    auto found = std::ranges::find(all, why, &std::pair<std::string, Missing>::first);
    if (found == all.end()) found = all.insert(found, {why, {}});
    found->second.places.push_back(place);
  }
  Unheard unheard;
  for (const auto& one : all) {
    const auto [why, then] = reason_for(one.second);
    unheard.reasons.push_back(names_of(area, one.second.places) + ": " + why);
    unheard.events.push_back(unheard.reasons.back() + (then.empty() ? "" : "; " + then));
  }
  return unheard;
}

}  // namespace sim
