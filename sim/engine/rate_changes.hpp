// RateChanges: sets the rates of a wiring's links as they change. SimGrid's own profiles keep the
// last rate of a period into the next one, and never end where they repeat.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/engine/alarms.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

class RateChanges {
 public:
  using SetRate = std::function<void(LinkId link, double rate_Bps)>;
  // `over` says that nothing is left to run: later changes are not made. The wiring stays.
  RateChanges(const Wiring& wiring, SetRate set_rate, std::function<bool()> over);

  // Called when simulated time is 0.
  void start();
  // How long it makes changes: a period that is far shorter than what is simulated must not take for
  // ever. Infinite where none repeats.
  [[nodiscard]] double limit_s() const;

 private:
  // The `step` -th change of the link, counted over all periods, each of which ends with one back
  // to the link's own rate.
  void set_alarm(LinkId link, std::uint32_t step);
  void change(LinkId link, std::uint32_t step);

  const Wiring& wiring_;
  SetRate set_rate_;
  std::function<bool()> over_;
  Alarms alarms_;
};

}  // namespace sim
