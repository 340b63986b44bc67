// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/alarms.hpp"

#include <utility>

namespace sim {

using simgrid::kernel::timer::Timer;

void Alarms::set(double time_s, std::uint32_t who, std::uint32_t ticket) {
  const auto [moment, added] = moments_.try_emplace(time_s);
  if (added) moment->second.timer = Timer::set(time_s, [this, time_s] { ring(time_s); });
  moment->second.entries.push_back({who, ticket});
  ++moment->second.wanted;
}

void Alarms::cancel(double time_s) {
  const auto moment = moments_.find(time_s);
  if (moment == moments_.end() || moment->second.timer == nullptr) return;
  if (--moment->second.wanted > 0) return;
  moment->second.timer->remove();
  moments_.erase(moment);
}

void Alarms::ring(double time_s) {
  // What an alarm sets for this very time is rung after it, by the same loop.
  Moment& moment = moments_.at(time_s);
  moment.timer = nullptr;  // it rings; there is nothing to cancel any more
  for (std::size_t i = 0; i < moment.entries.size(); ++i) {
    const Entry entry = moment.entries[i];
    ring_(entry.who, entry.ticket);
  }
  moments_.erase(time_s);
}

}  // namespace sim
