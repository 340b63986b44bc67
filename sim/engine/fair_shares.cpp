// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/fair_shares.hpp"

#include <algorithm>
#include <cmath>

namespace sim {
namespace {

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr double kOver = -1;

// Fewer routes are as fast in SimGrid, which shares links apart that no flow ties together.
constexpr std::size_t kManyRoutes = 1000;
constexpr std::size_t kRoutesPerLine = 16;

// SimGrid's, in seconds: what ends in less ends now.
constexpr double kTogether_s = 1e-9;
// Levels are known to rounding, so they are found anew from a little below.
constexpr double kMargin = 1e-12;

// How many routes cross each link.
std::vector<std::uint32_t> routes_over(const Wiring& wiring) {
  std::vector<std::uint32_t> routes(wiring.links.size());
  for (const std::vector<Crossing>& route : wiring.routes) {
    for (const Crossing& one : route) ++routes[one.link];
  }
  return routes;
}

}  // namespace

bool FairShares::suit(const Wiring& wiring) {
  if (!wiring.background.empty() || wiring.routes.size() < kManyRoutes) return false;
  const auto lines = std::ranges::count_if(routes_over(wiring), [](auto of) { return of > 1; });
  return lines > 0 && wiring.routes.size() >= kRoutesPerLine * static_cast<std::size_t>(lines);
}

FairShares::FairShares(const Wiring& wiring) : line_of_(wiring.links.size(), kNone) {
  const std::vector<std::uint32_t> routes = routes_over(wiring);
  for (LinkId link = 0; link < routes.size(); ++link) {
    if (routes[link] > 1 || !wiring.links[link].changes.empty()) add_line(link, wiring);
  }
  for (const std::vector<Crossing>& route : wiring.routes) add_route(route, wiring);
}

void FairShares::add_line(LinkId link, const Wiring& wiring) {
  line_of_[link] = static_cast<LineId>(lines_.size());
  lines_.push_back({.left_Bps = wiring.links[link].rate_Bps});
}

void FairShares::add_route(const std::vector<Crossing>& crossings, const Wiring& wiring) {
  const auto is_line = [&](const Crossing& one) { return line_of_[one.link] != kNone; };
  if (std::ranges::none_of(crossings, is_line)) {
    for (const Crossing& one : crossings) add_line(one.link, wiring);
  }
  Route& route = routes_.emplace_back();
  double lines_Bps = kInfinite;  // that none of its lines ever exceeds
  for (const auto& [link, times] : crossings) {
    const double rate_Bps = highest_rate(wiring.links[link]) / times;
    if (line_of_[link] == kNone) {
      route.most_Bps = std::min(route.most_Bps, rate_Bps);
    } else {
      route.parts.push_back({line_of_[link], static_cast<double>(times)});
      lines_Bps = std::min(lines_Bps, rate_Bps);
    }
  }
  if (route.most_Bps >= lines_Bps) route.most_Bps = kInfinite;  // which says nothing
}

void FairShares::set_rate(LinkId link, double rate_Bps) {
  Line& line = lines_[line_of_[link]];
  line.left_Bps = std::max(rate_Bps, kStandstill_Bps);
  line.changed = changed_ = true;
  double highest = kInfinite;  // of what it has stopped so far
  for (Fixed& one : line.fixed) {
    one.before_Bps = line.left_Bps;
    line.left_Bps -= one.member.weight * one.level;
    if (levels_[one.member.flow] != kOver) highest = one.level;
  }
  from_ = std::min(from_, highest);
}

FairShares::FlowId FairShares::free_slot() {
  if (!free_.empty()) {
    const FlowId flow = free_.back();
    free_.pop_back();
    return flow;
  }
  const auto flow = static_cast<FlowId>(flows_.size());
  flows_.emplace_back();
  levels_.push_back(kOver);
  found_in_.push_back(0);
  ends_s_.resize(flows_.size());
  return flow;
}

void FairShares::start(std::uint32_t route, double bytes, double channels, std::uintptr_t tag,
                       double now_s) {
  const FlowId flow = free_slot();
  flow_of_.emplace(tag, flow);
  flows_[flow] = {tag, route, channels, bytes, now_s, ++serial_};
  levels_[flow] = kInfinite;
  for (const auto& [line, times] : routes_[route].parts) {
    lines_[line].open.push_back({flow, times * channels});
    lines_[line].changed = true;
  }
  const double most_Bps = routes_[route].most_Bps;
  if (most_Bps < kInfinite) {
    new_caps_.push_back({most_Bps / channels, flow, serial_});
    from_ = std::min(from_, most_Bps / channels);
  }
  changed_ = true;
}

void FairShares::end(FlowId flow) {
  changed_ = true;
  from_ = std::min(from_, levels_[flow]);
  flow_of_.erase(flows_[flow].tag);
  if (levels_[flow] == kInfinite) {
    for (const Part& part : routes_[flows_[flow].route].parts) {
      std::erase_if(lines_[part.line].open, [&](const Member& one) { return one.flow == flow; });
    }
  }
  flows_[flow].serial = 0;
  levels_[flow] = kOver;
  ends_s_.set(flow, EndTimes::kNever);
  over_.push_back(flow);
}

void FairShares::stop(std::uintptr_t tag) {
  const auto found = flow_of_.find(tag);
  if (found != flow_of_.end()) end(found->second);
}

double FairShares::left(std::uintptr_t tag, double now_s) const {
  return left_of(flow_of_.at(tag), now_s);
}

double FairShares::left_of(FlowId id, double now_s) const {
  const Flow& flow = flows_[id];
  if (levels_[id] == kInfinite) return flow.left;
  return std::max(0.0, flow.left - flow.channels * levels_[id] * (now_s - flow.updated_s));
}

void FairShares::change(std::uintptr_t tag, double bytes, double channels, double now_s) {
  const FlowId flow = flow_of_.at(tag);
  const std::uint32_t route = flows_[flow].route;
  end(flow);
  start(route, bytes, channels, tag, now_s);
}

double FairShares::next_end_s(double now_s) {
  if (changed_) find_levels(now_s);
  return ends_s_.first_s();
}

std::vector<std::uintptr_t> FairShares::take_ended(double now_s) {
  std::vector<std::uintptr_t> tags;
  for (const std::size_t flow : ends_s_.until(now_s + kTogether_s)) {
    tags.push_back(flows_[flow].tag);
    end(static_cast<FlowId>(flow));
  }
  return tags;
}

void FairShares::for_each_rate(const std::function<void(std::uintptr_t, double)>& visit) const {
  for (FlowId flow = 0; flow < flows_.size(); ++flow) {
    if (levels_[flow] == kOver || levels_[flow] == kInfinite) continue;
    visit(flows_[flow].tag, flows_[flow].channels * levels_[flow]);
  }
}

void FairShares::sort_caps() {
  if (new_caps_.empty()) return;
  std::ranges::sort(new_caps_, {}, &Cap::level);
  std::erase_if(caps_, [&](const Cap& cap) { return flows_[cap.flow].serial != cap.serial; });
  const auto middle = static_cast<std::ptrdiff_t>(caps_.size());
  caps_.insert(caps_.end(), new_caps_.begin(), new_caps_.end());
  std::ranges::inplace_merge(caps_, caps_.begin() + middle, {}, &Cap::level);
  new_caps_.clear();
}

// What has a level from there on is open again; what is over is forgotten.
void FairShares::reopen(Line& line, double from) {
  while (!line.fixed.empty() && line.fixed.back().level >= from) {
    const Fixed& last = line.fixed.back();
    line.left_Bps = last.before_Bps;
    if (levels_[last.member.flow] != kOver) line.open.push_back(last.member);
    line.fixed.pop_back();
  }
}

// At which the line would be full, if only other lines stopped the flows that they do below that.
double FairShares::own_level(const Line& line) const {
  double left_Bps = line.left_Bps, weight = 0;
  for (const Member& one : line.open) weight += one.weight;
  for (auto fixed = line.fixed.rbegin();; ++fixed) {
    const double level = weight > 0 ? left_Bps / weight : kInfinite;
    if (fixed == line.fixed.rend() || fixed->level < level) return level;
    left_Bps = fixed->before_Bps;
    weight += fixed->member.weight;
  }
}

void FairShares::open_lines(double from) {
  open_.clear();
  for (LineId id = 0; id < lines_.size(); ++id) {
    Line& line = lines_[id];
    reopen(line, from);
    if (line.open.empty()) continue;
    line.weight = 0;
    for (const Member& one : line.open) line.weight += one.weight;
    line.without = line.open.size();
    open_.push_back(id);
  }
}

std::pair<FairShares::Line*, double> FairShares::next_full() {
  Line* next = nullptr;
  double level = kInfinite;
  std::erase_if(open_, [&](LineId id) { return lines_[id].without == 0; });
  for (const LineId id : open_) {
    const double full = lines_[id].left_Bps / lines_[id].weight;
    if (next == nullptr || full < level) {
      next = &lines_[id];
      level = full;
    }
  }
  return {next, level};
}

void FairShares::find_levels(double now_s) {
  double from = from_ * (1 - kMargin);
  for (Line& line : lines_) reopen(line, from);
  free_.insert(free_.end(), over_.begin(), over_.end());
  over_.clear();
  sort_caps();
  for (Line& line : lines_) {
    if (line.changed) from = std::min(from, own_level(line) * (1 - kMargin));
    line.changed = false;
  }
  from_ = kInfinite;
  changed_ = false;
  open_lines(from);
  ++search_;
  auto cap = std::ranges::lower_bound(caps_, from, {}, &Cap::level);
  const auto is_open = [&](FlowId flow) {
    return levels_[flow] >= from && found_in_[flow] != search_;
  };
  for (double level = from;;) {
    const auto [line, full] = next_full();
    if (line == nullptr) break;
    bool capped = false;
    for (; cap != caps_.end() && cap->level <= full; ++cap) {
      if (!is_open(cap->flow) || flows_[cap->flow].serial != cap->serial) continue;
      fix(cap->flow, cap->level, now_s);
      capped = true;
    }
    if (capped) continue;  // which leaves more for the others
    level = std::max(level, full);
    for (const Member& one : line->open) {
      if (is_open(one.flow)) fix(one.flow, level, now_s);
    }
  }
  for (Line& line : lines_) line.open.clear();
}

void FairShares::fix(FlowId id, double level, double now_s) {
  Flow& flow = flows_[id];
  found_in_[id] = search_;
  for (const auto& [number, times] : routes_[flow.route].parts) {
    Line& line = lines_[number];
    const double weight = times * flow.channels;
    line.fixed.push_back({{id, weight}, level, line.left_Bps});
    line.left_Bps -= weight * level;
    line.weight -= weight;
    --line.without;
  }
  if (levels_[id] == level) return;
  flow.left = left_of(id, now_s);
  flow.updated_s = now_s;
  levels_[id] = level;
  ends_s_.set(id, now_s + flow.left / (flow.channels * level));
}

}  // namespace sim
