// SPDX-License-Identifier: Apache-2.0
// Alarms: many callbacks at one time behind a single SimGrid timer. Ranks with equal work end their
// kernels at exactly the same time, and separate timers would make up most of a simulation's work.
#pragma once

#include <cstdint>
#include <functional>
#include <simgrid/kernel/Timer.hpp>
#include <unordered_map>
#include <vector>

namespace sim {

class Alarms {
 public:
  // `ring` receives the value given to set().
  using Ring = std::function<void(std::uint32_t who, std::uint32_t ticket)>;
  explicit Alarms(Ring ring) : ring_(std::move(ring)) {}
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  // Alarms of one time ring in the order in which they were set; those set while they ring come
  // last.
  void set(double time_s, std::uint32_t who, std::uint32_t ticket);
  // One of the alarms of this time need not ring. It may ring all the same: `ticket` identifies it.
  void cancel(double time_s);

 private:
  struct Entry {
    std::uint32_t who, ticket;
  };
  struct Moment {
    std::vector<Entry> entries;
    std::size_t wanted = 0;                          // entries not cancelled
    simgrid::kernel::timer::Timer* timer = nullptr;  // none while the alarm rings
  };

  void ring(double time_s);

  Ring ring_;
  std::unordered_map<double, Moment> moments_;
};

}  // namespace sim
