// SPDX-License-Identifier: Apache-2.0
// RateChanges: changes the rates of a wiring's links over time. SimGrid's own profiles carry the
// last rate of a period into the next one, and repeating profiles never end.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/engine/alarms.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

class RateChanges {
 public:
  using SetRate = std::function<void(LinkId link, double rate_Bps)>;
  // `over` tells whether nothing is left to run: no later change is made. The wiring must outlive
  // this.
  RateChanges(const Wiring& wiring, SetRate set_rate, std::function<bool()> over);

  // Call it when simulated time is 0.
  void start();
  // How long it makes no more than `most` changes: a period far shorter than the simulated time must
  // not keep the simulation busy forever. Infinite without repetition.
  [[nodiscard]] double limit_s(double most) const;

 private:
  // The `step`-th change of the link, counted over all periods; each period ends with a change back
  // to the link's own rate.
  void set_alarm(LinkId link, std::uint32_t step);
  void change(LinkId link, std::uint32_t step);

  const Wiring& wiring_;
  SetRate set_rate_;
  std::function<bool()> over_;
  Alarms alarms_;
};

}  // namespace sim
