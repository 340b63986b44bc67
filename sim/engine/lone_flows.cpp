// SPDX-License-Identifier: Apache-2.0
#include "sim/engine/lone_flows.hpp"

#include <algorithm>
#include <iterator>

namespace sim {
namespace {

std::vector<std::vector<std::uint32_t>> meeting_places(const Wiring& wiring) {
  std::vector<int> routes(wiring.links.size());
  for (const auto& route : wiring.routes) {
    for (const Crossing& one : route) ++routes[one.link];
  }
  std::vector<std::vector<std::uint32_t>> places(wiring.routes.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const Crossing& one : wiring.routes[i]) {
      if (routes[one.link] > 1) places[i].push_back(one.link);
    }
    places[i].push_back(static_cast<std::uint32_t>(wiring.links.size() + i));
  }
  return places;
}

}  // namespace

LoneFlows::LoneFlows(const Wiring& wiring, Platform& platform)
    : platform_(platform), steady_(platform.is_steady()) {
  if (!steady_) return;
  places_ = meeting_places(wiring);
  crossing_.resize(wiring.links.size() + wiring.routes.size());
  lone_.resize(crossing_.size());
  rates_Bps_.resize(wiring.routes.size());
}

bool LoneFlows::start_flow(std::uint32_t route, double bytes, double channels, std::uintptr_t tag) {
  if (!steady_) return platform_.start_flow(route, bytes, channels, tag);
  const bool is_lone = bytes == kEndlessBytes && rates_Bps_[route] > 0 && meets_none(route);
  for (const std::uint32_t place : places_[route]) {
    if (lone_[place] != nullptr) hand_over(*lone_[place]);
    ++crossing_[place];
  }
  by_tag_[tag] = flows_.insert(flows_.end(), Flow{tag, route, channels, !is_lone});
  if (!is_lone) return platform_.start_flow(route, bytes, channels, tag);
  for (const std::uint32_t place : places_[route]) lone_[place] = &flows_.back();
  return true;
}

void LoneFlows::stop_flow(std::uintptr_t tag) {
  if (!steady_) return platform_.stop_flow(tag);
  const auto flow = by_tag_.at(tag);
  if (flow->in_simgrid) platform_.stop_flow(tag);
  erase(flow);
}

void LoneFlows::flow_ended(std::uintptr_t tag) {
  if (steady_) erase(by_tag_.at(tag));
}

// It meets none that could have what it leaves.
void LoneFlows::hold_flow(std::uintptr_t tag, double rate_Bps) {
  if (!steady_ || by_tag_.at(tag)->in_simgrid) platform_.hold_flow(tag, rate_Bps);
}

void LoneFlows::for_each_rate(const std::function<void(std::uintptr_t, double)>& visit) {
  if (!steady_) return platform_.for_each_rate(visit);
  for (const Flow& flow : flows_) {
    double& alone_Bps = rates_Bps_[flow.route];
    const double rate_Bps = flow.in_simgrid ? platform_.rate_of_flow(flow.tag) : alone_Bps;
    const auto is_its_own = [&](std::uint32_t place) { return crossing_[place] == 1; };
    if (alone_Bps == 0 && std::ranges::all_of(places_[flow.route], is_its_own)) {
      alone_Bps = rate_Bps;
    }
    visit(flow.tag, rate_Bps);
  }
}

bool LoneFlows::meets_none(std::uint32_t route) const {
  return std::ranges::all_of(places_[route],
                             [&](std::uint32_t place) { return crossing_[place] == 0; });
}

void LoneFlows::hand_over(Flow& flow) {
  for (const std::uint32_t place : places_[flow.route]) lone_[place] = nullptr;
  flow.in_simgrid = true;
  platform_.start_flow(flow.route, kEndlessBytes, flow.channels, flow.tag);
}

void LoneFlows::erase(Flows::iterator flow) {
  for (const std::uint32_t place : places_[flow->route]) {
    --crossing_[place];
    if (lone_[place] == &*flow) lone_[place] = nullptr;
  }
  by_tag_.erase(flow->tag);
  flows_.erase(flow);
}

}  // namespace sim
