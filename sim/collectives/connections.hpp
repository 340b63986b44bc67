// SPDX-License-Identifier: Apache-2.0
// Connections: what ecmp hashes. Each channel of a collective between two NICs has one or several
// (network.queue_pairs), and each carries an equal part of the channel's bytes.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "sim/collectives/algorithm.hpp"

namespace sim {

// Of one leg after the other.
class Connections {
 public:
  explicit Connections(const Cluster& cluster) : cluster_(cluster) {}

  // The same leg with a hop for each connection, numbered in order of the legs, until it is called again;
  // with other ways of spreading messages, the leg as it is.
  [[nodiscard]] const LegDraft& over(const LegDraft& leg);

 private:
  [[nodiscard]] std::uint32_t nic(int rank, int number) const;
  int next(const Hop& hop);

  const Cluster& cluster_;
  std::unordered_map<std::uint64_t, int> counts_;  // so far between every two NICs
  LegDraft spread_;
};

}  // namespace sim
