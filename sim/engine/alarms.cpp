#include "sim/engine/alarms.hpp"

#include <utility>

namespace sim {

using simgrid::kernel::timer::Timer;

void Alarms::set(double time_s, std::uint32_t who, std::uint32_t ticket) {
  Moment& moment = moments_[time_s];
  if (moment.timer == nullptr) {
    moment.timer = Timer::set(time_s, [this, time_s] { ring(time_s); });
  }
  moment.entries.push_back({who, ticket});
  ++moment.wanted;
}

void Alarms::cancel(double time_s) {
  const auto found = moments_.find(time_s);
  if (found == moments_.end() || --found->second.wanted > 0) return;
  found->second.timer->remove();
  moments_.erase(found);
}

void Alarms::ring(double time_s) {
  // What an alarm sets for this very time gets a timer of its own.
  const auto moment = moments_.extract(time_s);
  for (const Entry& entry : moment.mapped().entries) ring_(entry.who, entry.ticket);
}

}  // namespace sim
