// SPDX-License-Identifier: Apache-2.0
// FairModel: FairShares as a model of SimGrid, which asks it for the next event and tells it of the
// time, as it does its own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <simgrid/kernel/resource/Model.hpp>
#include <utility>

#include "sim/engine/fair_shares.hpp"

namespace sim {

class FairModel : public simgrid::kernel::resource::Model {
 public:
  using Ended = std::function<void(std::uintptr_t tag)>;
  explicit FairModel(const Wiring& wiring) : Model("Network_fair"), shares(wiring) {}

  double next_occurring_event(double now_s) override {
    const double end_s = shares.next_end_s(now_s);
    return std::isfinite(end_s) ? std::max(0.0, end_s - now_s) : -1;
  }
  void update_actions_state(double now_s, double) override {
    for (const std::uintptr_t tag : shares.take_ended(now_s)) ended(tag);
  }

  FairShares shares;
  Ended ended;
};

}  // namespace sim
