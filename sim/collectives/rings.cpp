// SPDX-License-Identifier: Apache-2.0
// The rings of a communicator.
#include <map>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/legs.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {

Rings::Rings(const Cluster& cluster, const std::vector<int>& ranks)
    : cluster_(cluster), channels_(cluster, ranks, Ends::joined) {
  std::map<std::vector<Channels::Order>, Ring> alike;  // in the order of their hops
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    ++alike.try_emplace(channels_.orders(channel), Ring{channel}).first->second.weight;
  }
  for (const auto& [orders, ring] : alike) rings_.push_back(ring);
}

void Rings::append(std::size_t ring, std::size_t node, std::vector<Hop>& hops) const {
  const std::size_t channel = rings_[ring].channel;
  const std::size_t next = (node + 1) % nodes();
  const Channels::Order& order = channels_.order(channel, node);
  const auto rank = [&](std::size_t i) { return channels_.rank(node, order[i]); };
  for (std::size_t i = 0; i + 1 < order.size(); ++i) hops.push_back({rank(i), rank(i + 1)});
  const int there = channels_.rank(next, channels_.order(channel, next).front());
  Hop leave{rank(order.size() - 1), there};
  if (nodes() > 1) {
    const bool rails = cluster_.network.fabric->rails;
    leave.nic_out = static_cast<std::int16_t>(nic_of(cluster_, rank(0)));
    leave.nic_in = rails ? leave.nic_out : static_cast<std::int16_t>(nic_of(cluster_, there));
  }
  hops.push_back(leave);
}

std::vector<Lane> Rings::lanes() const {
  std::vector<Lane> lanes;
  for (std::size_t ring = 0; ring < size(); ++ring) {
    Lane& lane = lanes.emplace_back(Lane{.hops = {}, .weight = weight(ring)});
    lane.hops.reserve(nodes() * channels_.order(rings_[ring].channel, 0).size());
    for (std::size_t node = 0; node < nodes(); ++node) append(ring, node, lane.hops);
  }
  return lanes;
}

}  // namespace sim
