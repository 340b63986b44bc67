// SPDX-License-Identifier: Apache-2.0
#include "sim/study/search/stage_slowdowns.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "sim/topology/gpu_speeds.hpp"

namespace sim::study {

StageSlowdowns stage_slowdowns(const Cluster& cluster, const Parallelism& p) {
  const std::vector<double> by_rank = rank_slowdowns(cluster);
  StageSlowdowns found{.stage = std::numeric_limits<double>::infinity(),
                       .fastest = *std::ranges::min_element(by_rank)};
  const Factoring factoring = factoring_of(cluster, p);
  for (const std::vector<int>& stage : factoring.stages()) {
    double slowest = 0;
    for (const int rank : stage) {
      slowest = std::max(slowest, by_rank[static_cast<std::size_t>(rank)]);
    }
    found.stage = std::min(found.stage, slowest);
  }
  return found;
}

}  // namespace sim::study
