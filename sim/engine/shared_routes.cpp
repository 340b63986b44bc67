// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/shared_routes.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sim {
namespace {

// Flows whose ends differ by less end together: the difference is rounding.
constexpr double kTogether = 1e-12;

}  // namespace

void SharedRoutes::set(std::uint32_t route, const Queue& queue) {
  platform_.change_flow(route, (queue.next() - queue.moved) * queue.count(),
                        queue.channels * queue.count());
}

void SharedRoutes::update(std::uint32_t route, Queue& queue) {
  queue.moved = queue.next() - platform_.left_of_flow(route) / queue.count();
}

bool SharedRoutes::start_flow(std::uint32_t route, double bytes, double channels,
                              std::uintptr_t tag) {
  Queue& queue = queues_[route];
  const bool first = queue.at.empty();
  if (first && !platform_.start_flow(route, bytes, channels, route)) return false;
  if (first) {
    queue = {.channels = channels, .moved = 0, .at = {}};
  } else {
    update(route, queue);
  }
  queue.at.emplace(queue.moved + std::round(bytes), tag);
  if (!first) set(route, queue);
  return true;
}

double SharedRoutes::stop_flow(std::uint32_t route, std::uintptr_t tag) {
  Queue& queue = queues_.at(route);
  update(route, queue);
  const auto flow = std::ranges::find(queue.at, tag, [](const auto& one) { return one.second; });
  const double left = std::max(0.0, flow->first - queue.moved);
  queue.at.erase(flow);
  queue.at.empty() ? platform_.stop_flow(route) : set(route, queue);
  return left;
}

void SharedRoutes::comm_ended(std::uint32_t route, bool failed,
                              const std::function<void(std::uintptr_t, bool)>& ended) {
  Queue& queue = queues_[route];
  queue.moved = queue.next();
  const double until = queue.moved * (1 + kTogether);
  std::vector<std::uintptr_t> tags;
  while (!queue.at.empty() && (failed || queue.next() <= until)) {
    tags.push_back(queue.at.begin()->second);
    queue.at.erase(queue.at.begin());
  }
  std::multimap<double, std::uintptr_t> lost;
  if (!queue.at.empty()) {
    platform_.start_flow(route, 1, 1, route) ? set(route, queue) : lost.swap(queue.at);
  }
  // Others may begin over the route meanwhile.
  for (const std::uintptr_t tag : tags) ended(tag, failed);
  for (const auto& [at, tag] : lost) ended(tag, true);
}

}  // namespace sim
