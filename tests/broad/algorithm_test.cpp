// SPDX-License-Identifier: Apache-2.0
// Every algorithm on every fabric: folded it takes as long as step by step.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/schedule/fold_grid.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

TEST(Algorithms, TakeFoldedAsLongAsStepByStep) {
  for (const NetworkFabric* fabric : all_network_fabrics()) {
    for (const int nodes : {2, 8}) {
      for (const CollectiveAlgorithm* algorithm : all_algorithms()) {
        if (algorithm == &algorithms::tree) continue;  // tests/schedule/tree_test.cpp
        if (algorithm->most_nodes == 1 && nodes != 2) continue;
        const int gpus = algorithm == &algorithms::pat ? 1 : nodes == 8 ? 2 : 4;
        Cluster cluster = run_by(*algorithm, {.nodes = algorithm->most_nodes == 1 ? 1 : nodes,
                                              .gpus = gpus,
                                              .nics = gpus,
                                              .fabric = fabric});
        const bool tree = fabric->append_way == append_switched_way;
        if (algorithm == &algorithms::sharp && !tree) continue;
        cluster.network.sharp = LinkPace{20_us, 0.5};
        for (const CollectiveRow& row : all_collectives()) {
          if (!algorithm->can_run(row.collective)) continue;
          const bool few = nodes == 2;  // of many, one size: step by step they take long
          for (const double bytes : few ? std::vector{1e5, 1e8} : std::vector{1e6}) {
            const FoldTimes times = fold_times(row, cluster, all_ranks(cluster), bytes);
            EXPECT_LE(std::abs(times.difference()), 1e-3)
                << row.name << " of " << bytes << " B by " << algorithm->name << " on "
                << cluster.nodes << " nodes, " << fabric->name;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace sim
