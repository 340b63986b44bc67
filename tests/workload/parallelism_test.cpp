// SPDX-License-Identifier: Apache-2.0
// What does not fit: each refused in one line that names its flag.
#include "sim/workload/parallelism.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
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
  for (const MatrixPrecision precision :
       {MatrixPrecision::fp8, MatrixPrecision::mxfp8, MatrixPrecision::fp8_rowwise}) {
    EXPECT_EQ(
        input_error_of([&] { check(small_cluster(), deep_model(), {.matrices = precision}); }),
        "`precision`: sample has no gpu.fp8 rate; choose bf16 or another cluster");
  }
}

// Every order of the three; the first named are neighbours.
TEST(Placements, NumberEveryRankOnceAlongTheirAxes) {
  const Cluster cluster = small_cluster(3, 4);
  Parallelism p{.tensor = 2, .pipeline = 3};
  EXPECT_EQ(all_placements().size(), 6U);
  for (const Placement& placement : all_placements()) {
    EXPECT_EQ(placement_of(to_text(placement)), placement);
    p.placement = placement;
    const Layout layout = layout_of(cluster, p);
    EXPECT_EQ(layout.ranks(), 12);
    EXPECT_EQ(layout.at(0, *placement.front(), 1), 1);
    std::set<std::tuple<int, int, int>> places;
    for (int rank = 0; rank < 12; ++rank) {
      places.emplace(layout.place(rank, axes::pipeline), layout.place(rank, axes::data),
                     layout.place(rank, axes::tensor));
    }
    EXPECT_EQ(places.size(), 12U);
    EXPECT_EQ(factoring_of(cluster, p).stages().size(), 3U);
  }
  for (const char* text : {"tp-dp", "tp-dp-pp-pp", "tp-tp-pp", ""}) {
    EXPECT_FALSE(placement_of(text)) << text;
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
