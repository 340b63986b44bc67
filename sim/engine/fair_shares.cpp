// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/fair_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sim {
namespace {

// Fewer routes are as fast in SimGrid, which shares links apart that no flow ties together.
constexpr std::size_t kManyRoutes = 1000;
constexpr std::size_t kRoutesPerLine = 16;

// SimGrid's, in seconds: what ends in less ends now.
constexpr double kTogether_s = 1e-9;
// As many flows that are over, or ends that no longer hold, are kept at least.
constexpr std::size_t kKept = 1024;

}  // namespace

bool FairShares::suit(const Wiring& wiring) {
  if (!wiring.background.empty() || wiring.routes.size() < kManyRoutes) return false;
  const auto lines = std::ranges::count_if(routes_over(wiring), [](auto of) { return of > 1; });
  return lines > 0 && wiring.routes.size() >= kRoutesPerLine * static_cast<std::size_t>(lines);
}

FairShares::FairShares(const Wiring& wiring) : wired_(lines_of(wiring)) {
  for (const double rate_Bps : wired_.rates_Bps) {
    lines_.push_back({.rate_Bps = rate_Bps, .left_Bps = rate_Bps});
  }
  members_.resize(lines_.size());
  clocks_.resize(lines_.size() + 1);
  clocks_[own()].set_level(1, 0);
}

FairShares::Member FairShares::member_of(FlowId flow) const {
  const FairLines::Route& route = wired_.routes[flows_[flow].route];
  return {flow, route.first, route.last, flows_[flow].channels};
}

void FairShares::set_rate(LinkId link, double rate_Bps) {
  lines_[wired_.line_of[link]].rate_Bps = std::max(rate_Bps, kStandstill_Bps);
  from_ = 0;
  changed_ = true;
}

FairShares::FlowId FairShares::free_slot() {
  if (!free_.empty()) {
    const FlowId flow = free_.back();
    free_.pop_back();
    return flow;
  }
  const auto flow = static_cast<FlowId>(flows_.size());
  flows_.emplace_back();
  states_.push_back({kOver, kNone});
  return flow;
}

void FairShares::start(std::uint32_t route, double bytes, double channels, std::uintptr_t tag,
                       double) {
  const FlowId flow = free_slot();
  flow_of_.emplace(tag, flow);
  flows_[flow] = {route, ++serial_, channels, bytes, tag};
  states_[flow] = {kOpen, kNone};
  const Member member = member_of(flow);
  open(member, kNone, 0);
  for (std::uint32_t part = member.first; part < member.last; ++part) {
    members_[wired_.parts[part].line].push_back(member);
  }
  const double most_Bps = wired_.routes[route].most_Bps;
  if (most_Bps < kInfinite) {
    new_caps_.push_back({most_Bps / channels, flow, serial_});
    from_ = std::min(from_, most_Bps / channels);
  }
  changed_ = true;
}

double FairShares::level_of(FlowId flow) const {
  const LineId line = states_[flow].stopped_by;
  if (line == kOpen) return kInfinite;
  if (line != own()) return clocks_[line].level();
  return wired_.routes[flows_[flow].route].most_Bps / flows_[flow].channels;
}

double FairShares::speed(FlowId flow, LineId clock) const {
  return clock == own() ? wired_.routes[flows_[flow].route].most_Bps : flows_[flow].channels;
}

void FairShares::end(FlowId flow) {
  changed_ = true;
  const double level = level_of(flow);
  from_ = std::min(from_, level);
  reopen(member_of(flow), level);
  close(member_of(flow), kNone, 0);
  flow_of_.erase(flows_[flow].tag);
  flows_[flow].serial = 0;
  states_[flow] = {kOver, kNone};
  over_.push_back(flow);
}

void FairShares::stop(std::uintptr_t tag) {
  const auto found = flow_of_.find(tag);
  if (found != flow_of_.end()) end(found->second);
}

double FairShares::left(std::uintptr_t tag, double now_s) const {
  return left_of(flow_of_.at(tag), now_s);
}

double FairShares::left_of(FlowId flow, double now_s) const {
  const LineId clock = states_[flow].clock;
  if (clock == kNone) return flows_[flow].at;
  return std::max(0.0, (flows_[flow].at - clocks_[clock].count(now_s)) * speed(flow, clock));
}

void FairShares::note_end(FlowId flow, LineId clock, double now_s) {
  const double left = left_of(flow, now_s);
  states_[flow].clock = clock;
  flows_[flow].at = clocks_[clock].count(now_s) + left / speed(flow, clock);
  if (clock != own() && clocks_[clock].size() > 2 * members_[clock].size() + kKept) {
    clocks_[clock].keep(holds(clock));
  }
  clocks_[clock].add(flow, flows_[flow].at);
}

void FairShares::change(std::uintptr_t tag, double bytes, double channels, double now_s) {
  const FlowId flow = flow_of_.at(tag);
  const std::uint32_t route = flows_[flow].route;
  end(flow);
  start(route, bytes, channels, tag, now_s);
}

double FairShares::next_end_s(double now_s) {
  if (changed_) find_levels(now_s);
  double first_s = kInfinite;
  for (LineId line = 0; line <= own(); ++line) {
    const FlowClock::End* end = clocks_[line].first(holds(line));
    if (end != nullptr) first_s = std::min(first_s, clocks_[line].time_s(*end));
  }
  return std::max(first_s, now_s);
}

std::vector<std::uintptr_t> FairShares::take_ended(double now_s) {
  std::vector<FlowId> ended;
  for (LineId line = 0; line <= own(); ++line) {
    FlowClock& clock = clocks_[line];
    const FlowClock::End* next = clock.first(holds(line));
    for (; next != nullptr && clock.time_s(*next) <= now_s + kTogether_s;
         next = clock.first(holds(line))) {
      ended.push_back(next->flow);
      clock.pop();
    }
  }
  std::ranges::sort(ended);
  ended.erase(std::unique(ended.begin(), ended.end()), ended.end());
  std::vector<std::uintptr_t> tags;
  for (const FlowId flow : ended) {
    tags.push_back(flows_[flow].tag);
    end(flow);
  }
  return tags;
}

void FairShares::for_each_rate(const std::function<void(std::uintptr_t, double)>& visit) const {
  for (FlowId flow = 0; flow < flows_.size(); ++flow) {
    const LineId by = states_[flow].stopped_by;
    if (by != kOver && by != kOpen) visit(flows_[flow].tag, flows_[flow].channels * level_of(flow));
  }
}

void FairShares::purge() {
  if (over_.size() < flow_of_.size() / 2 + kKept) return;
  for (std::vector<Member>& members : members_) {
    std::erase_if(members,
                  [&](const Member& one) { return states_[one.flow].stopped_by == kOver; });
  }
  free_.insert(free_.end(), over_.begin(), over_.end());
  over_.clear();
}

}  // namespace sim
