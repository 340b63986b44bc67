// Alarms: many callbacks at one time behind a single SimGrid timer. Ranks that do the same end
// their kernels at the same time, to the last bit, and a timer each would make most of a
// simulation's work.
#pragma once

#include <cstdint>
#include <functional>
#include <simgrid/kernel/Timer.hpp>
#include <unordered_map>
#include <vector>

namespace sim {

class Alarms {
 public:
  // `ring` gets what was given to set().
  using Ring = std::function<void(std::uint32_t who, std::uint32_t ticket)>;
  explicit Alarms(Ring ring) : ring_(std::move(ring)) {}
  Alarms(const Alarms&) = delete;
  Alarms& operator=(const Alarms&) = delete;

  // Alarms of one time ring in the order in which they were set, those that are set by one of them
  // last.
  void set(double time_s, std::uint32_t who, std::uint32_t ticket);
  // One of the alarms of this time need not ring. It may all the same: `ticket` tells it apart.
  void cancel(double time_s);

 private:
  struct Entry {
    std::uint32_t who, ticket;
  };
  struct Moment {
    std::vector<Entry> entries;
    std::size_t wanted = 0;                          // entries that were not cancelled
    simgrid::kernel::timer::Timer* timer = nullptr;  // none while it rings
  };

  void ring(double time_s);

  Ring ring_;
  std::unordered_map<double, Moment> moments_;
};

}  // namespace sim
