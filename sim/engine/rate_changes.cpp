// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/rate_changes.hpp"

#include <limits>
#include <utility>

namespace sim {
namespace {

// In each period, or in all.
std::size_t steps_of(const Link& link) {
  return link.changes.size() + (link.repeats_s > 0 ? 1 : 0);
}

}  // namespace

RateChanges::RateChanges(const Wiring& wiring, SetRate set_rate, std::function<bool()> over)
    : wiring_(wiring),
      set_rate_(std::move(set_rate)),
      over_(std::move(over)),
      alarms_([this](std::uint32_t link, std::uint32_t step) { change(link, step); }) {}

void RateChanges::start() {
  for (LinkId link = 0; link < wiring_.links.size(); ++link) {
    if (!wiring_.links[link].changes.empty()) set_alarm(link, 0);
  }
}

double RateChanges::limit_s(double most) const {
  double per_second = 0;
  for (const Link& link : wiring_.links) {
    if (link.repeats_s > 0) per_second += static_cast<double>(steps_of(link)) / link.repeats_s;
  }
  return per_second > 0 ? most / per_second : std::numeric_limits<double>::infinity();
}

void RateChanges::set_alarm(LinkId link, std::uint32_t step) {
  const Link& wired = wiring_.links[link];
  const std::size_t steps = steps_of(wired);
  if (wired.repeats_s <= 0 && step >= steps) return;
  const std::size_t periods = step / steps;
  const auto period = static_cast<double>(periods);
  const std::size_t in_period = step % steps;
  const bool last = in_period == wired.changes.size();
  const double begins_s = period * wired.repeats_s;
  alarms_.set(last ? (period + 1) * wired.repeats_s : begins_s + wired.changes[in_period].at_s,
              link, step);
}

void RateChanges::change(LinkId link, std::uint32_t step) {
  if (over_()) return;
  const Link& wired = wiring_.links[link];
  const std::size_t in_period = step % steps_of(wired);
  const bool last = in_period == wired.changes.size();
  set_rate_(link, last ? wired.rate_Bps : wired.changes[in_period].rate_Bps);
  set_alarm(link, step + 1);
}

}  // namespace sim
