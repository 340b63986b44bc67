// SPDX-License-Identifier: Apache-2.0
// How full the links were that a schedule was played over, and what its time is bound by.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "sim/report/report.hpp"

namespace sim {
namespace {

// Part of a link's use in which those that carry the same may differ: sums of bytes are rounded.
constexpr double kRoundedBytes = 1e-9;

// By wired link: what the flows moved that ended.
std::vector<double> carried_bytes(const Schedule& schedule, const Wiring& wiring,
                                  const Timeline& timeline) {
  std::vector<double> bytes(wiring.links.size());
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& operation = schedule.operations[id];
    if (operation.kind != OperationKind::flow || std::isnan(timeline.end_s[id])) continue;
    for (const auto& [link, times] : wiring.routes[operation.route]) {
      bytes[link] += timeline.carried_bytes(schedule, id) * operation.times * times;
    }
  }
  return bytes;
}

}  // namespace

std::vector<LinkUse> busiest_links(const Schedule& schedule, const Wiring& wiring,
                                   const Timeline& timeline) {
  const std::vector<double> bytes = carried_bytes(schedule, wiring, timeline);
  std::map<std::string, LinkUse> by_kind;
  for (std::size_t id = 0; id < bytes.size(); ++id) {
    if (bytes[id] <= 0) continue;
    const Link& link = wiring.links[id];
    const double busy = bytes[id] / capacity_bytes(link, timeline.makespan_s);
    const int alike = wiring.alike.empty() ? 1 : static_cast<int>(wiring.alike[id]);
    LinkUse& most = by_kind[link.kind];
    const int before = busy > most.busy * (1 + kRoundedBytes) ? 0 : most.as_busy;
    if (busy > most.busy) {
      most = {link.name, link.kind, link.role, link.set_by, busy, before + alike};
    } else if (busy > most.busy * (1 - kRoundedBytes)) {
      most.as_busy += alike;
    }
  }
  std::vector<LinkUse> uses;
  for (const auto& [kind, use] : by_kind) uses.push_back(use);
  std::ranges::stable_sort(uses, std::ranges::greater(), &LinkUse::busy);
  return uses;
}

std::string bound_of(const TimeParts& t, double seconds, std::span<const LinkUse> busiest,
                     const std::string& whole, const char* waits) {
  const std::pair<double, const char*> parts[] = {{t.compute_s, "compute"},
                                                  {t.exposed_comm_s, "communication"},
                                                  {t.codec_s, "codec kernels"},
                                                  {t.host_s, "the host"},
                                                  {t.bubble_s, waits},
                                                  {t.optimizer_s, "the optimizer"},
                                                  {t.other_s, "copies and passes over buffers"}};
  const auto most = std::max_element(std::begin(parts), std::end(parts));
  std::string text =
      fmt::format("{} ({:.0f} % of the {})", most->second, 100 * most->first / seconds, whole);
  if (!busiest.empty()) {
    const LinkUse& link = busiest.front();
    text += fmt::format("; busiest link {} ({}), full for {:.0f} % of it", link.link, link.set_by,
                        100 * link.busy);
  }
  return text;
}

}  // namespace sim
