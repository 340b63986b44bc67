// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/connections.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "sim/topology/ranks.hpp"

namespace sim {
namespace {

// Connections so far between every two NICs.
class Counter {
 public:
  explicit Counter(const Cluster& cluster) : cluster_(cluster) {}
  int next(const Hop& hop) {
    const std::uint64_t from = nic(hop.source, hop.nic_out);
    return counts_[from << 32 | nic(hop.destination, hop.nic_in)]++;
  }

 private:
  [[nodiscard]] std::uint32_t nic(int rank, int number) const {
    return static_cast<std::uint32_t>(node_of(cluster_, rank) * cluster_.network.nics_per_node +
                                      number);
  }

  const Cluster& cluster_;
  std::unordered_map<std::uint64_t, int> counts_;
};

LegDraft spread(const LegDraft& leg, int each, Counter& counter) {
  LegDraft all{.unit = leg.unit / each, .channels = leg.channels / each, .round = leg.round};
  for (Hop hop : leg.hops) {
    hop.times *= each;
    if (!hop.over_network()) {
      all.hops.push_back(hop);
      continue;
    }
    const int connections = std::exchange(hop.times, 1);
    for (int i = 0; i < connections; ++i) {
      hop.connection = counter.next(hop);
      all.hops.push_back(hop);
    }
  }
  return all;
}

}  // namespace

std::vector<LegDraft> over_connections(const Cluster& cluster, std::vector<LegDraft> legs) {
  const Network& network = cluster.network;
  if (network.load_balance != LoadBalance::ecmp) return legs;
  Counter counter(cluster);
  for (LegDraft& leg : legs) {
    const int channels = std::max(1, static_cast<int>(std::lround(leg.channels)));
    leg = spread(leg, channels * network.queue_pairs, counter);
  }
  return legs;
}

}  // namespace sim
