// SPDX-License-Identifier: Apache-2.0
// FairShares: the max-min fair rates of very many flows over few links, as SimGrid has them. A flow's
// level is its rate for each of its channels. All levels rise together from 0; a link that fills up
// holds the flows that cross it, and the others rise on.
//
// SimGrid finds all levels anew whenever a flow begins or ends. But a flow that ends leaves the levels
// below its own as they are, and one that begins those below the level at which it fills up a link.
// Only the others are found anew here: a link knows what its flows below each level leave to those
// above. Of sites that all send to each other, mostly the fastest flow ends.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sim/engine/end_times.hpp"
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
  using LineId = std::uint32_t;  // of a link that several routes cross
  using FlowId = std::uint32_t;
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  struct Member {
    FlowId flow;
    double weight;  // shares of the line for each unit of the flow's level
  };
  struct Fixed {
    Member member;
    double level;
    double before_Bps;  // what those before it leave of the rate
  };
  struct Line {
    double left_Bps;                // of its rate, by the fixed flows
    std::vector<Fixed> fixed = {};  // their levels ascend; those that are over too
    std::vector<Member> open = {};  // the level of these is to be found
    bool changed = false;           // its rate, or a flow has begun
    // While levels are found: of the open flows that have none yet.
    double weight = 0;
    std::size_t without = 0;
  };
  struct Part {  // of a route
    LineId line;
    double times;
  };
  struct Route {
    std::vector<Part> parts = {};
    double most_Bps = kInfinite;  // by links of its own
  };
  struct Flow {
    std::uintptr_t tag;
    std::uint32_t route;
    double channels;
    double left;  // bytes at updated_s
    double updated_s;
    std::uint32_t serial;
  };
  struct Cap {  // the level at which links of its own stop a flow
    double level;
    FlowId flow;
    std::uint32_t serial;
  };

  void add_line(LinkId link, const Wiring& wiring);
  void add_route(const std::vector<Crossing>& crossings, const Wiring& wiring);
  FlowId free_slot();
  [[nodiscard]] double left_of(FlowId flow, double now_s) const;
  void end(FlowId flow);
  void sort_caps();
  void reopen(Line& line, double from);
  [[nodiscard]] double own_level(const Line& line) const;
  void find_levels(double now_s);
  void open_lines(double from);
  // The open line that is full next, if any, and its level.
  [[nodiscard]] std::pair<Line*, double> next_full();
  void fix(FlowId flow, double level, double now_s);

  std::vector<Line> lines_;
  std::vector<LineId> line_of_;  // by link; kNone: no line
  std::vector<Route> routes_;
  std::vector<Flow> flows_;
  std::vector<double> levels_;           // by flow; infinite: not known yet; kOver: it has ended
  EndTimes ends_s_;                      // by flow
  std::vector<std::uint32_t> found_in_;  // by flow: the search that found its level
  std::vector<FlowId> over_, free_;
  std::unordered_map<std::uintptr_t, FlowId> flow_of_;
  std::vector<Cap> caps_, new_caps_;  // caps_ ascends, and has those of flows that are over too
  std::vector<LineId> open_;
  std::uint32_t serial_ = 0, search_ = 0;
  bool changed_ = false;     // anything, since levels were found
  double from_ = kInfinite;  // from this level on; what begins may lower it
};

}  // namespace sim
