// SPDX-License-Identifier: Apache-2.0
// FairShares: the max-min fair rates of very many flows over few links, as SimGrid has them. A flow's
// level is its rate for each of its channels. All levels rise together from 0; a link that fills up
// stops the flows that cross it, and the others rise on.
//
// SimGrid finds all levels anew whenever a flow begins or ends. But a flow that ends leaves the levels
// below its own as they are, and one that begins those below the level at which it fills up a link.
// Only the others are found anew here. Of sites that all send to each other, mostly the fastest flow
// ends.
//
// The flows that a link stops have one level, the link's, and one clock (FlowClock): while it stops the
// same flows, nothing is noted of each.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/engine/fair_lines.hpp"
#include "sim/engine/flow_clock.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

// A link's rate is never 0, and SimGrid takes a flow down with a link that is off; a connection
// whose path is interrupted waits. A byte in thirty years is as good as none.
inline constexpr double kStandstill_Bps = 1e-9;

class FairShares {
 public:
  // Whether a wiring is of this kind. Background flows are not known here.
  [[nodiscard]] static bool suit(const Wiring& wiring);
  explicit FairShares(const Wiring& wiring);

  // Each applies at `now_s`, which never goes back. A tag is unique among running flows.
  void set_rate(LinkId link, double rate_Bps);
  void start(std::uint32_t route, double bytes, double channels, std::uintptr_t tag, double now_s);
  void stop(std::uintptr_t tag);
  [[nodiscard]] double left(std::uintptr_t tag, double now_s) const;
  void change(std::uintptr_t tag, double bytes, double channels, double now_s);

  // When the next flow ends; infinite without one.
  [[nodiscard]] double next_end_s(double now_s);
  // Takes out the flows that have ended.
  [[nodiscard]] std::vector<std::uintptr_t> take_ended(double now_s);
  // Bytes per second of each, as of the last next_end_s().
  void for_each_rate(const std::function<void(std::uintptr_t tag, double rate_Bps)>& visit) const;

 private:
  using LineId = FairLines::LineId;
  using FlowId = FlowClock::FlowId;
  static constexpr LineId kNone = FairLines::kNone, kOpen = kNone, kOver = kNone - 1;
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  struct Member {
    FlowId flow;
    std::uint32_t first, last;  // parts of its route
    double channels;
  };
  struct Line {
    double rate_Bps;
    double left_Bps;  // by the flows that have a level
    // Channels of the flows that it stops, and of those without a level, times their shares of it.
    double stopped = 0, open = 0;
    std::uint32_t stopped_flows = 0, open_flows = 0;
  };
  struct State {
    LineId stopped_by;  // a line, own(), kOpen or kOver
    LineId clock;       // on which its end is noted; kNone: not yet
  };
  struct Flow {
    std::uint32_t route, serial;
    double channels;
    double at;  // its end by the clock; without one, bytes that are left
    std::uintptr_t tag;
  };
  struct Cap {  // the level at which links of its own stop a flow
    double level;
    FlowId flow;
    std::uint32_t serial;
  };

  FlowId free_slot();
  // Stands for links of its own where they stop a flow.
  [[nodiscard]] LineId own() const { return static_cast<LineId>(lines_.size()); }
  [[nodiscard]] double level_of(FlowId flow) const;
  // Bytes for each count of its clock.
  [[nodiscard]] double speed(FlowId flow, LineId clock) const;
  [[nodiscard]] double left_of(FlowId flow, double now_s) const;
  [[nodiscard]] auto holds(LineId clock) const {
    return [this, clock](const FlowClock::End& end) {
      return states_[end.flow].clock == clock && flows_[end.flow].at == end.at;
    };
  }
  [[nodiscard]] Member member_of(FlowId flow) const;
  void note_end(FlowId flow, LineId clock, double now_s);
  void end(FlowId flow);
  void purge();

  // sim/engine/fair_levels.cpp: finds the levels of all flows that have none, or one from there on.
  void find_levels(double now_s);
  void sort_caps();
  [[nodiscard]] double lowest_change() const;
  void reopen_all(double from, double now_s);
  void reopen(const Member& flow, double level);
  // At all lines of a flow but one.
  void open(const Member& flow, LineId without, double level);
  void close(const Member& flow, LineId without, double level);
  template <class Visit>
  void for_each_line(const Member& flow, LineId without, Visit visit);
  // The line that is full next, if any, and its level.
  [[nodiscard]] std::pair<LineId, double> next_full();
  void fill(LineId line, double level, double now_s);
  void stop_at(const Member& flow, LineId stopped_by, double level, double now_s);

  const FairLines wired_;
  std::vector<Line> lines_;
  std::vector<std::vector<Member>> members_;  // by line; those that are over too, until purge()
  std::vector<FlowClock>
      clocks_;  // by line; and own(), by the time, of flows that none of them stops
  std::vector<Flow> flows_;
  std::vector<State> states_;  // by flow
  std::vector<FlowId> over_, free_;
  std::unordered_map<std::uintptr_t, FlowId> flow_of_;
  std::vector<Cap> caps_, new_caps_;  // caps_ ascends, and has those of flows that are over too
  std::vector<Cap> capped_;           // those that stop a flow, ascending
  std::vector<LineId> open_;          // lines with open flows, while levels are found
  std::uint32_t serial_ = 0;
  std::size_t opened_ = 0;   // flows, since all levels were found
  bool changed_ = false;     // anything, since levels were found
  double from_ = kInfinite;  // from this level on; what begins may lower it
};

}  // namespace sim
