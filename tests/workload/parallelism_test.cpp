// SPDX-License-Identifier: Apache-2.0
// What does not fit: each refused in one line that names its flag.
#include "sim/workload/parallelism.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/workload/parallelism_names.hpp"
#include "tests/input_errors.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

struct Misfit {
  const char* name;
  Parallelism parallelism;
  const char* error;  // none: it fits
};

// Two nodes of four GPUs with an FP8 rate and none of FP4; a model of four layers.
const Misfit kMisfits[]{
    {"a job without a flag", {}, ""},
    {"FP8", {.matrices = MatrixPrecision::fp8}, ""},
    {"MXFP8",
     {.matrices = MatrixPrecision::mxfp8},
     "`precision`: sample has no block-scaled matrix products, which need a gpu.fp4 rate; choose "
     "fp8 "
     "or bf16"},
    {"NVFP4",
     {.matrices = MatrixPrecision::nvfp4},
     "`precision`: sample has no gpu.fp4 rate; choose bf16 or another cluster"},
    {"alternate recomputation of fused attention",
     {.recompute = Recompute::alternate, .attention = Attention::fused},
     ""},
    {"alternate recomputation of unfused attention",
     {.recompute = Recompute::alternate},
     "`recompute`: alternate recomputation needs fused attention; pass `attention` fused"},
    {"hybrid groups", {.sharding = {.stage = 3, .ranks = 4}}, ""},
    {"hybrid groups of some of the ranks",
     {.sharding = {.stage = 3, .ranks = 3}},
     "`hybrid-shard`: 3 does not divide the 8 data-parallel ranks; choose a divisor"},
    {"hybrid groups of tensor-parallel ranks",
     {.tensor = 4, .sharding = {.stage = 3, .ranks = 4}},
     "`hybrid-shard`: 4 does not divide the 2 data-parallel ranks; choose a divisor"},
    {"hybrid groups of optimizer shards",
     {.sharding = {.stage = 2, .ranks = 4}},
     "`hybrid-shard`: needs `zero` 3, whose weights it shards inside groups"},
    {"chunks", {.pipeline = 2, .virtual_stages = 2}, ""},
    {"chunks of no pipeline",
     {.virtual_stages = 2},
     "`virtual-stages`: 2 chunks need a pipeline; pass `pp`"},
    {"more chunks than layers",
     {.pipeline = 2, .virtual_stages = 4},
     "`virtual-stages`: 2 x 4 virtual stages leaves a stage without a layer: sample has 4; choose "
     "fewer"},
    {"more stages than layers",
     {.pipeline = 8, .virtual_stages = 2},
     "`pp`: 8 x 2 virtual stages leaves a stage without a layer: sample has 4; choose fewer"},
    {"stages that do not divide the GPUs",
     {.pipeline = 3},
     "`pp`: 3 does not divide the 8 GPUs; choose another, or other `nodes`"},
    {"stages and tensor parallelism that do not",
     {.tensor = 2, .pipeline = 3},
     "`pp`: 3 x tp 2 does not divide the 8 GPUs; choose other `nodes`, `tp` or `pp`"},
    {"stages of embedding and head alone",
     {.pipeline = 4, .counted_ends = CountedEnds::both},
     "`pp`: 4 leaves a stage without a layer: sample has 4; choose fewer"},
    {"tensor parallelism over two nodes", {.tensor = 8}, ""},
};

Cluster cluster_with_fp8() {
  Cluster cluster = small_cluster();
  cluster.gpu.fp8 = 800_TFLOPs;
  return cluster;
}

TEST(Check, RefusesWhatDoesNotFitInOneLine) {
  for (const Misfit& row : kMisfits) {
    EXPECT_EQ(input_error_of([&] { check(cluster_with_fp8(), deep_model(), row.parallelism); }),
              row.error)
        << row.name;
  }
}

TEST(Check, NamesTensorParallelismWhereItAloneIsWrong) {
  Cluster cluster = small_cluster();
  cluster.nodes = 3;
  EXPECT_EQ(input_error_of([&] { check(cluster, deep_model(), {.tensor = 8}); }),
            "`tp`: 8 does not divide the 12 GPUs; choose another, or other `nodes`");
}

TEST(Check, RefusesFp8OnAGpuWithoutItsRate) {
  for (const MatrixPrecision precision : {MatrixPrecision::fp8, MatrixPrecision::mxfp8}) {
    EXPECT_EQ(
        input_error_of([&] { check(small_cluster(), deep_model(), {.matrices = precision}); }),
        "`precision`: sample has no gpu.fp8 rate; choose bf16 or another cluster");
  }
}

// Every order of the three; the first named are neighbours.
TEST(RankOf, NumbersEveryPlaceOnceAlongItsAxes) {
  const Cluster cluster = small_cluster(3, 4);
  Parallelism p{.tensor = 2, .pipeline = 3};
  const auto rank = [&](int stage, int replica, int t) {
    return rank_of(cluster, p, {.stage = stage, .replica = replica, .tensor = t});
  };
  for (const auto& named : kPlacements) {
    p.placement = named.value;
    std::set<int> ranks;
    for (int stage = 0; stage < 3; ++stage) {
      for (int replica = 0; replica < 2; ++replica) {
        for (int t = 0; t < 2; ++t) ranks.insert(rank(stage, replica, t));
      }
    }
    EXPECT_EQ(ranks.size(), 12U);
    EXPECT_EQ(*ranks.rbegin(), 11);
    const std::map<const Axis*, int> neighbour{{&axes::tensor, rank(0, 0, 1)},
                                               {&axes::data, rank(0, 1, 0)},
                                               {&axes::pipeline, rank(1, 0, 0)}};
    EXPECT_EQ(neighbour.at(p.placement.front()), 1);
    const Layout layout = layout_of(cluster, p);
    EXPECT_EQ(layout.ranks(), 12);
    for (int r = 0; r < 12; ++r) {
      EXPECT_EQ(rank(layout.place(r, axes::pipeline), layout.place(r, axes::data),
                     layout.place(r, axes::tensor)),
                r);
    }
  }
}

TEST(TensorNodes, AreThoseOfTheGroupThatSpansMost) {
  const Cluster cluster = small_cluster(3, 4);
  EXPECT_EQ(tensor_nodes(cluster, {.tensor = 4}), 1);
  EXPECT_EQ(tensor_nodes(cluster, {.tensor = 12}), 3);
  // At a distance of 3 ranks: 0 and 3 share a node, 1 and 4 do not.
  EXPECT_EQ(tensor_nodes(cluster, {.tensor = 2,
                                   .pipeline = 2,
                                   .placement = {&axes::data, &axes::tensor, &axes::pipeline}}),
            2);
}

TEST(ShardRanks, AreThoseOfAHybridGroupOrAllDataParallelOnes) {
  const Cluster cluster = small_cluster();
  EXPECT_EQ(shard_ranks(cluster, {}), 8);
  EXPECT_EQ(shard_ranks(cluster, {.tensor = 2, .pipeline = 2}), 2);
  EXPECT_EQ(shard_ranks(cluster, {.sharding = {.stage = 3, .ranks = 4}}), 4);
}

}  // namespace
}  // namespace sim
