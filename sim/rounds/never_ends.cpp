// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/never_ends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/rounds/cut_off.hpp"

namespace sim {
namespace {

constexpr std::string_view kLinks = "links.";

// A flow that could have ended: all that it follows has.
bool is_stuck(const RoundResult& result, std::size_t id) {
  const Schedule& schedule = result.plan.schedule;
  const auto ended = [&](std::uint32_t one) { return !std::isnan(result.timeline.end_s[one]); };
  const Operation& operation = schedule.operations[id];
  return operation.kind == OperationKind::flow && !ended(static_cast<std::uint32_t>(id)) &&
         std::ranges::all_of(schedule.dependencies_of(operation), ended);
}

// From a site that others do not wait for, or to it.
bool is_of_the_unheard(const RoundResult& result, const Operation& flow) {
  const auto unheard = [&](int place) {
    const auto i = static_cast<std::size_t>(place);
    return i < result.shape.sites.size() && result.shape.fate(i) != Fate::heard;
  };
  const auto& hops = result.plan.schedule.routes[flow.route].hops;
  return std::ranges::any_of(
      hops, [&](const Hop& hop) { return unheard(hop.source) || unheard(hop.destination); });
}

// The slowest that a stuck flow crosses; none if nothing is stuck.
const Link* slowest_link(const RoundResult& result) {
  const Link* slowest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t id = 0; id < result.plan.schedule.operations.size(); ++id) {
    const Operation& flow = result.plan.schedule.operations[id];
    if (!is_stuck(result, id) || is_of_the_unheard(result, flow)) continue;
    for (const auto& [number, times] : result.wiring.routes[flow.route]) {
      const Link& link = result.wiring.links[number];
      const double bytes = capacity_bytes(link, kRoundLimit.base()) / times;
      if (bytes >= least) continue;
      least = bytes;
      slowest = &link;
    }
  }
  return slowest;
}

// Of a link that others can do without, if it is dead; else without one of its ends.
std::string remedy_of_link(WideArea area, const RoundResult& result, const std::string& table) {
  WideLink& link = *std::ranges::find(area.links, table.substr(kLinks.size()), &WideLink::name);
  link.dead = true;
  std::vector<Fate> fates = result.shape.fates;
  return add_cut_off(area, *result.shape.exchange, fates).empty()
             ? fmt::format("with `set` {}.dead=true, other sites pass its traffic on", table)
             : fmt::format("`set` sites.{}.count=0 leaves one of its ends out", link.between[1]);
}

// A key "links.NAME.bandwidth" or "sites.NAME.uplink".
std::string remedy(const WideArea& area, const RoundResult& result, const Link& link) {
  const auto table = link.set_by.substr(0, link.set_by.rfind('.'));
  if (table.starts_with(kLinks)) return remedy_of_link(area, result, table);
  if (table.starts_with("sites."))
    return fmt::format("`set` {}.count=0 leaves the site out", table);
  return "`set` sites.NAME.count=0 leaves a site out";
}

}  // namespace

std::string why_it_never_ends(const WideArea& area, const RoundResult& result) {
  const std::string start =
      fmt::format("the exchange does not finish within {}: ", round_limit_text());
  const Link* link = slowest_link(result);
  if (link == nullptr) return start + "one of its rates is too low";
  return start + fmt::format("{} ({}) is down or too slow; {}", link->name, link->set_by,
                             remedy(area, result, *link));
}

}  // namespace sim
