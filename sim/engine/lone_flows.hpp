// SPDX-License-Identifier: Apache-2.0
// LoneFlows: endless flows that meet no other one. Such a flow has the rate that SimGrid has given it before on
// the same route, and SimGrid hears of it only when another flow comes onto one of its links. Most flows of
// large steps are such: those of the tensor axis, each after its latency on the links of a node.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <unordered_map>
#include <vector>

#include "sim/engine/platform.hpp"

namespace sim {

class LoneFlows {
 public:
  LoneFlows(const Wiring& wiring, Platform& platform);

  // As those of Platform, which has all other flows.
  bool start_flow(std::uint32_t route, double bytes, double channels, std::uintptr_t tag);
  void stop_flow(std::uintptr_t tag);
  void hold_flow(std::uintptr_t tag, double rate_Bps);
  // In the order in which they began.
  void for_each_rate(const std::function<void(std::uintptr_t tag, double rate_Bps)>& visit);
  // Call it for each flow that SimGrid has ended.
  void flow_ended(std::uintptr_t tag);

 private:
  struct Flow {
    std::uintptr_t tag;
    std::uint32_t route;
    double channels;
    bool in_simgrid = true;
  };
  using Flows = std::list<Flow>;

  [[nodiscard]] bool meets_none(std::uint32_t route) const;
  void hand_over(Flow& flow);
  void erase(Flows::iterator flow);

  Platform& platform_;
  const bool steady_;  // else all flows are the platform's
  // What flows meet on: by route the links that others cross too, and the route itself.
  std::vector<std::vector<std::uint32_t>> places_;
  std::vector<std::uint32_t> crossing_;  // by place, flows that are under way
  std::vector<Flow*> lone_;              // by place, the one that SimGrid does not know
  std::vector<double> rates_Bps_;        // by route, of a flow that meets none; 0: not known yet
  Flows flows_;                          // under way
  std::unordered_map<std::uintptr_t, Flows::iterator> by_tag_;
};

}  // namespace sim
