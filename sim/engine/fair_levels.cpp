// SPDX-License-Identifier: Apache-2.0
// How FairShares finds levels.
#include <algorithm>
#include <utility>

#include "sim/engine/fair_shares.hpp"

namespace sim {
namespace {

// Levels are known to rounding, so they are found anew from a little below; and all of them once each
// flow's has been found so often, so that rounding does not add up.
constexpr double kMargin = 1e-12;
constexpr std::size_t kTimes = 32;

}  // namespace

void FairShares::sort_caps() {
  if (new_caps_.empty()) return;
  std::ranges::sort(new_caps_, {}, &Cap::level);
  std::erase_if(caps_, [&](const Cap& cap) { return flows_[cap.flow].serial != cap.serial; });
  const auto middle = static_cast<std::ptrdiff_t>(caps_.size());
  caps_.insert(caps_.end(), new_caps_.begin(), new_caps_.end());
  std::ranges::inplace_merge(caps_, caps_.begin() + middle, {}, &Cap::level);
  new_caps_.clear();
}

// At which a line is full, if it stops none but those that it stops already and those that have begun:
// if it stops others too, then from a higher level on.
double FairShares::lowest_change() const {
  double lowest = from_;
  for (LineId id = 0; id < lines_.size(); ++id) {
    const Line& line = lines_[id];
    if (line.open_flows == 0) continue;
    const double stopped_Bps = line.stopped > 0 ? line.stopped * clocks_[id].level() : 0;
    lowest =
        std::min(lowest, std::max(0.0, line.left_Bps + stopped_Bps) / (line.stopped + line.open));
  }
  return lowest * (1 - kMargin);
}

template <class Visit>
void FairShares::for_each_line(const Member& flow, LineId without, Visit visit) {
  for (std::uint32_t part = flow.first; part < flow.last; ++part) {
    const auto [line, times] = wired_.parts[part];
    if (line != without) visit(lines_[line], times * flow.channels);
  }
}

// One that had a level has none for now; or closed, the other way round.
void FairShares::open(const Member& flow, LineId without, double level) {
  for_each_line(flow, without, [&](Line& line, double weight) {
    line.left_Bps += weight * level;
    line.open += weight;
    ++line.open_flows;
  });
}

void FairShares::close(const Member& flow, LineId without, double level) {
  for_each_line(flow, without, [&](Line& line, double weight) {
    line.left_Bps -= weight * level;
    line.open = --line.open_flows == 0 ? 0 : line.open - weight;
  });
}

// A flow alone.
void FairShares::reopen(const Member& flow, double level) {
  LineId& by = states_[flow.flow].stopped_by;
  if (by == kOpen) return;
  open(flow, kNone, level);
  for (std::uint32_t part = flow.first; part < flow.last; ++part) {
    if (wired_.parts[part].line != by) continue;
    Line& line = lines_[by];
    line.stopped =
        --line.stopped_flows == 0 ? 0 : line.stopped - wired_.parts[part].times * flow.channels;
  }
  by = kOpen;
}

void FairShares::reopen_all(double from, double now_s) {
  for (LineId id = 0; id < lines_.size(); ++id) {
    Line& line = lines_[id];
    const double level = clocks_[id].level();
    if (line.stopped_flows == 0 || level < from) continue;
    for (const Member& one : members_[id]) {
      LineId& by = states_[one.flow].stopped_by;
      if (by != id) continue;
      open(one, id, level);
      by = kOpen;
    }
    opened_ += line.stopped_flows;
    line.left_Bps += line.stopped * level;
    line.open += std::exchange(line.stopped, 0);
    line.open_flows += std::exchange(line.stopped_flows, 0);
    clocks_[id].set_level(0, now_s);
  }
  while (!capped_.empty() && capped_.back().level >= from) {
    const auto [level, flow, serial] = capped_.back();
    if (flows_[flow].serial == serial) reopen(member_of(flow), level);
    capped_.pop_back();
  }
  if (from > 0) return;
  for (Line& line : lines_) line.left_Bps = line.rate_Bps;
}

std::pair<FairShares::LineId, double> FairShares::next_full() {
  LineId next = kNone;
  double level = kInfinite;
  std::erase_if(open_, [&](LineId id) { return lines_[id].open_flows == 0; });
  for (const LineId id : open_) {
    const double full = lines_[id].left_Bps / lines_[id].open;
    if (next == kNone || full < level) {
      next = id;
      level = full;
    }
  }
  return {next, level};
}

void FairShares::find_levels(double now_s) {
  purge();
  sort_caps();
  const bool all = opened_ > kTimes * flow_of_.size();
  if (all) opened_ = 0;
  const double from = all ? 0 : lowest_change();
  from_ = kInfinite;
  changed_ = false;
  reopen_all(from, now_s);
  open_.clear();
  for (LineId id = 0; id < lines_.size(); ++id) open_.push_back(id);
  auto cap = std::ranges::lower_bound(caps_, from, {}, &Cap::level);
  for (double level = from;;) {
    const auto [line, full] = next_full();
    if (line == kNone) break;
    bool capped = false;
    for (; cap != caps_.end() && cap->level <= full; ++cap) {
      if (states_[cap->flow].stopped_by != kOpen) continue;
      if (flows_[cap->flow].serial != cap->serial) continue;
      stop_at(member_of(cap->flow), own(), cap->level, now_s);
      capped_.push_back(*cap);
      capped = true;
    }
    if (capped) continue;  // which leaves more for the others
    level = std::max(level, full);
    fill(line, level, now_s);
  }
}

void FairShares::fill(LineId id, double level, double now_s) {
  clocks_[id].set_level(level, now_s);
  for (const Member& one : members_[id]) {
    if (states_[one.flow].stopped_by == kOpen) stop_at(one, id, level, now_s);
  }
  Line& line = lines_[id];
  line.left_Bps -= line.open * level;
  line.stopped = std::exchange(line.open, 0);
  line.stopped_flows = std::exchange(line.open_flows, 0);
}

void FairShares::stop_at(const Member& flow, LineId stopped_by, double level, double now_s) {
  State& state = states_[flow.flow];
  state.stopped_by = stopped_by;
  close(flow, stopped_by, level);
  if (state.clock != stopped_by) note_end(flow.flow, stopped_by, now_s);
}

}  // namespace sim
