// SPDX-License-Identifier: Apache-2.0
// The rings of a communicator.
#include <map>
#include <utility>

#include "sim/collectives/channels.hpp"
#include "sim/collectives/legs.hpp"
#include "sim/topology/fabrics.hpp"

namespace sim {
namespace {

std::vector<Hop> ring_hops(const Cluster& cluster, const Visits& orders) {
  std::vector<Hop> hops;
  hops.reserve(orders.size() * orders.front().size());
  for (std::size_t n = 0; n < orders.size(); ++n) {
    const auto& order = orders[n];
    for (std::size_t i = 0; i + 1 < order.size(); ++i) hops.push_back({order[i], order[i + 1]});
    const auto& next = orders[(n + 1) % orders.size()];
    Hop leave{order.back(), next.front()};
    if (orders.size() > 1) {
      const bool rails = cluster.network.fabric->rails;
      leave.nic_out = static_cast<std::int16_t>(nic_of(cluster, order.front()));
      leave.nic_in =
          rails ? leave.nic_out : static_cast<std::int16_t>(nic_of(cluster, next.front()));
    }
    hops.push_back(leave);
  }
  return hops;
}

}  // namespace

std::vector<Lane> ring_lanes(const Cluster& cluster, const std::vector<int>& ranks) {
  std::map<std::vector<Hop>, int> weights;
  for_each_channel(cluster, ranks, Ends::joined,
                   [&](const Visits& visits) { ++weights[ring_hops(cluster, visits)]; });
  std::vector<Lane> lanes;
  while (!weights.empty()) {
    auto lane = weights.extract(weights.begin());
    lanes.push_back({std::move(lane.key()), lane.mapped()});
  }
  return lanes;
}

}  // namespace sim
