// SPDX-License-Identifier: Apache-2.0
// Channels on a full mesh: together they use its links alike, wherever orders of the GPUs can.
#include "sim/collectives/channels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/topology/fabrics.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

// Least and most uses of a link between two GPUs of a node.
std::pair<int, int> uses_of_links(int gpus, int nodes, int channels, Ends ends) {
  Cluster cluster = sample_cluster({.nodes = nodes, .gpus = gpus, .nics = gpus});
  cluster.nvlink.kind = &fabrics::full_mesh;
  cluster.collectives.channels = channels;
  std::vector<int> ranks;
  for (int rank = 0; rank < nodes * gpus; ++rank) ranks.push_back(rank);
  std::map<std::pair<int, int>, int> uses;
  for (const Visits& visits : channel_visits(cluster, ranks, ends)) {
    const std::vector<int>& node = visits.front();
    const bool closed = ends == Ends::joined && nodes == 1;
    for (std::size_t i = 0; i + (closed ? 0 : 1) < node.size(); ++i) {
      ++uses[{node[i], node[(i + 1) % node.size()]}];
    }
  }
  if (uses.size() < static_cast<std::size_t>(gpus * (gpus - 1))) return {0, 0};
  std::pair<int, int> bounds{uses.begin()->second, 0};
  for (const auto& [link, count] : uses) {
    bounds = {std::min(bounds.first, count), std::max(bounds.second, count)};
  }
  return bounds;
}

TEST(ChannelsOnAMesh, RingsOfANodeUseAllLinksAlike) {
  // n - 1 rings have n (n - 1) links, as many as there are. Four GPUs and six have no such rings.
  for (const int gpus : {2, 3, 5, 7, 8}) {
    for (const int times : {1, 2, 8}) {
      EXPECT_EQ(uses_of_links(gpus, 1, times * (gpus - 1), Ends::joined), std::pair(times, times))
          << gpus;
    }
  }
}

TEST(ChannelsOnAMesh, PathsBetweenNodesUseAllLinksAlike) {
  // n paths of n - 1 links each, for an even number of GPUs.
  for (const int gpus : {2, 4, 6, 8}) {
    for (const int times : {1, 2, 7}) {
      EXPECT_EQ(uses_of_links(gpus, 2, times * gpus, Ends::joined), std::pair(times, times))
          << gpus;
    }
  }
}

TEST(ChannelsOnAMesh, OtherNumbersOfChannelsDoNotLoadALinkTwiceAsMuch) {
  for (const int gpus : {4, 8}) {
    const int channels = 3 * gpus;
    const auto [least, most] = uses_of_links(gpus, 1, channels, Ends::joined);
    EXPECT_GT(least, 0);
    EXPECT_LE(most, 2 * channels / (gpus - 1));
  }
}

}  // namespace
}  // namespace sim
