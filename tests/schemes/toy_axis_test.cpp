// SPDX-License-Identifier: Apache-2.0
// Axes that nothing else knows: one along which ranks hold the same weights and compute with other tokens
// of the same samples, and one that splits weights. What layout, batch, gradients and shards need of them
// is their rows.
#include <gtest/gtest.h>

#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

constexpr Axis kTokens{.name = "cp", .splits = Splits::tokens};

Parallelism with_tokens(Parallelism p) {
  p.more_axes[0] = {&kTokens, 2};
  p.placement = {&axes::tensor, &kTokens, &axes::pipeline, &axes::data};
  return p;
}

using Lists = std::vector<std::vector<int>>;

TEST(ToyAxis, LiesWhereItIsPlaced) {
  const Cluster cluster = small_cluster();
  const Parallelism p = with_tokens({.tensor = 2});
  const Layout layout = layout_of(cluster, p);
  EXPECT_EQ(layout.size(kTokens), 2);
  EXPECT_EQ(layout.size(axes::data), 2);
  const Axis* const tokens[] = {&kTokens};
  EXPECT_EQ(layout.groups(tokens), (Lists{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
}

// 8 ranks are 4 that hold each half of the weights, and two of those share a sample.
TEST(ToyAxis, ThatSplitsTokensHoldsWeightsAndNoSamples) {
  const Cluster cluster = small_cluster();
  const Parallelism p = with_tokens({.tensor = 2, .micro_batch = 3, .accumulation = 5});
  EXPECT_EQ(holders(cluster, p), 4);
  EXPECT_EQ(shard_ranks(cluster, p), 4);
  EXPECT_EQ(replicas(cluster, p), 2);
  EXPECT_EQ(global_batch(cluster, p), 2 * 3 * 5);
}

// An axis that splits weights in a way of its own: rank 1 and rank 5 hold what 0 and 4 do not.
TEST(ToyAxis, ThatSplitsWeightsHasItsOwnHolders) {
  constexpr Axis kOther{.name = "other"};
  const Cluster cluster = small_cluster();
  Parallelism p{.tensor = 2, .micro_batch = 3};
  p.more_axes[0] = {&kOther, 2};
  p.placement = {&kOther, &axes::tensor, &axes::data, &axes::pipeline};
  EXPECT_EQ(holders(cluster, p), 2);
  EXPECT_EQ(global_batch(cluster, p), 2 * 3);
  EXPECT_EQ(factoring_of(cluster, p).groups_of_holders(Weights::dense),
            (Lists{{0, 4}, {2, 6}, {1, 5}, {3, 7}}));
  EXPECT_EQ(holder_nodes(cluster, p), 2);
  EXPECT_TRUE(has_even_holders(cluster, p));
}

}  // namespace
}  // namespace sim
