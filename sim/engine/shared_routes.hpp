// SPDX-License-Identifier: Apache-2.0
// SharedRoutes: flows over one route as one flow of SimGrid. Their rates are equal at all times, so the
// one that has least left ends first, and SimGrid's flow with it:
//
//   left of three flows      2     5     5
//   SimGrid's flows          6     └─ then 2 x 3
//
// SimGrid's work for each flow that ends grows with the flows that are under way, and sites that
// download from a storage have a few routes for very many flows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>

#include "sim/engine/platform.hpp"

namespace sim {

class SharedRoutes {
 public:
  explicit SharedRoutes(Platform& platform) : platform_(platform) {}

  // As Platform::start_flow(). The Comm's data is the route.
  bool start_flow(std::uint32_t route, double bytes, double channels, std::uintptr_t tag);
  // Stops a flow that is under way. Returns its bytes that are left.
  double stop_flow(std::uint32_t route, std::uintptr_t tag);
  // The route's Comm has completed, and been ended. Calls `ended` for each flow that ends with it.
  void comm_ended(std::uint32_t route, bool failed,
                  const std::function<void(std::uintptr_t tag, bool failed)>& ended);

 private:
  struct Queue {
    double channels = 1;                       // of each flow
    double moved = 0;                          // bytes of each, since the first one began
    std::multimap<double, std::uintptr_t> at;  // flows, by the bytes moved at which they end

    [[nodiscard]] double count() const { return static_cast<double>(at.size()); }
    [[nodiscard]] double next() const { return at.begin()->first; }
  };
  void set(std::uint32_t route, const Queue& queue);
  // Notes what has moved until now.
  void update(std::uint32_t route, Queue& queue);

  Platform& platform_;
  std::unordered_map<std::uint32_t, Queue> queues_;  // by route
};

}  // namespace sim
