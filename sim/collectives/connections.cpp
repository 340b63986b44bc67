// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/connections.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/topology/ranks.hpp"

namespace sim {

std::uint32_t Connections::nic(int rank, int number) const {
  return static_cast<std::uint32_t>(node_of(cluster_, rank) * cluster_.network.nics_per_node +
                                    number);
}

int Connections::next(const Hop& hop) {
  const std::uint64_t from = nic(hop.source, hop.nic_out);
  return counts_[from << 32 | nic(hop.destination, hop.nic_in)]++;
}

const LegDraft& Connections::over(const LegDraft& leg) {
  if (cluster_.network.load_balance != LoadBalance::ecmp) return leg;
  const int channels = std::max(1, static_cast<int>(std::lround(leg.channels)));
  const int each = channels * cluster_.network.queue_pairs;
  spread_ = {.unit = leg.unit / each, .channels = leg.channels / each, .round = leg.round};
  for (Hop hop : leg.hops) {
    hop.times *= each;
    if (!hop.over_network()) {
      spread_.hops.push_back(hop);
      continue;
    }
    const int connections = std::exchange(hop.times, 1);
    for (int i = 0; i < connections; ++i) {
      hop.connection = next(hop);
      spread_.hops.push_back(hop);
    }
  }
  return spread_;
}

}  // namespace sim
