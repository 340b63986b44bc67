// SPDX-License-Identifier: Apache-2.0
// Memory under ZeRO's stages: the published formulas of its state, and what is whole for a while.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/workload/memory_remedies.hpp"
#include "sim/workload/parameters.hpp"
#include "tests/schedule/sample_cluster.hpp"
#include "tests/shipped_files.hpp"
#include "tests/workload/shipped_model.hpp"

namespace sim {
namespace {

Cluster cluster_of(int count) { return sample_cluster({.nodes = count}); }

double state_of(const MemoryUse& use) { return use.weights + use.gradients + use.optimizer; }

TEST(ShardedMemory, OfTheStateIsZerosFormula) {
  // Rajbhandari et al. 1910.02054, figure 1, with K = 12 bytes of the optimizer: (2 + 2 + K) n
  // without sharding; (2 + 2) n + K n / N, 2 n + (2 + K) n / N, (2 + 2 + K) n / N in its stages.
  const Model model = shipped_model("llama_2_7b");
  const auto n = static_cast<double>(total_parameters(model));
  for (const int count : {1, 4, 16}) {
    const double ranks = 8 * count;
    const auto state = [&](int stage) {
      return state_of(memory_use(cluster_of(count), model,
                                 {.gradients = Precision::bf16, .sharding = {.stage = stage}}));
    };
    EXPECT_DOUBLE_EQ(state(1), 4 * n + 12 * n / ranks);
    EXPECT_DOUBLE_EQ(state(2), 2 * n + 14 * n / ranks);
    EXPECT_DOUBLE_EQ(state(3), 16 * n / ranks);
  }
}

TEST(ShardedMemory, OfAHybridGroupIsShardedOverTheGroupAlone) {
  const Model model = shipped_model("llama_2_7b");
  const auto state = [&](int count, int ranks) {
    return state_of(
        memory_use(cluster_of(count), model, {.sharding = {.stage = 3, .ranks = ranks}}));
  };
  EXPECT_DOUBLE_EQ(state(8, 8), state(1, 0));
  EXPECT_DOUBLE_EQ(state(8, 32), state(4, 0));
}

// Pure BF16 training: 2 bytes each of weight, gradient and two moments, all sharded; of ZeRO-1, whose
// weights are the model's, the moments alone are.
TEST(ShardedMemory, OfPureBf16IsEightBytesAParameter) {
  const Model model = shipped_model("llama_2_7b");
  const auto n = static_cast<double>(total_parameters(model));
  const auto state = [&](OptimizerPrecision precision, int stage) {
    return state_of(memory_use(cluster_of(2), model,
                               {.optimizer_precision = precision,
                                .gradients = Precision::bf16,
                                .sharding = {.stage = stage}}));
  };
  EXPECT_DOUBLE_EQ(state(OptimizerPrecision::bf16, 3), 8 * n / 16);
  EXPECT_DOUBLE_EQ(state(OptimizerPrecision::bf16_moments, 3), (4 + 4 + 4) * n / 16);
  EXPECT_DOUBLE_EQ(state(OptimizerPrecision::bf16, 1), 4 * n + 4 * n / 16);
  EXPECT_DOUBLE_EQ(state(OptimizerPrecision::bf16_moments, 1), 4 * n + (4 + 4) * n / 16);
  const auto checkpoint = [&](OptimizerPrecision precision, int stage) {
    return trained_state_bytes(model,
                               {.optimizer_precision = precision, .sharding = {.stage = stage}});
  };
  EXPECT_DOUBLE_EQ(checkpoint(OptimizerPrecision::bf16, 3), 6 * n);
  EXPECT_DOUBLE_EQ(checkpoint(OptimizerPrecision::bf16, 1), 6 * n);
  EXPECT_DOUBLE_EQ(checkpoint(OptimizerPrecision::bf16_moments, 1), (2 + 4 + 4) * n);
}

// Whole gradients in the precision of the reduction, however many ranks share the shards; with one
// micro-batch there is nothing to accumulate.
TEST(ShardedMemory, OfGradientsThatAreReducedOnceIsAllOfThem) {
  const Model model = shipped_model("llama_2_7b");
  const auto n = static_cast<double>(total_parameters(model));
  const auto gradients = [&](int accumulation, Precision precision, int count, int tensor = 1) {
    return memory_use(cluster_of(count), model,
                      {.tensor = tensor,
                       .accumulation = accumulation,
                       .gradients = precision,
                       .sharding = {.stage = 3, .reduces_once = true}})
        .gradients;
  };
  for (const int count : {1, 4}) {
    EXPECT_DOUBLE_EQ(gradients(2, Precision::fp32, count), 4 * n);
    EXPECT_DOUBLE_EQ(gradients(8, Precision::bf16, count), 2 * n);
    EXPECT_DOUBLE_EQ(gradients(1, Precision::fp32, count), 4 * n / (8 * count));
  }
  EXPECT_NEAR(gradients(2, Precision::fp32, 4, 8) / (4 * n / 8), 1, 0.001);  // norms are whole
}

TEST(ShardedMemory, OfWeightsOnHostsIsNone) {
  const Model model = shipped_model("llama_2_7b");
  const Parallelism p{.optimizer_state = OptimizerState::host,
                      .sharding = {.stage = 3, .weights_on_hosts = true}};
  const MemoryUse use = memory_use(cluster_of(2), model, p);
  EXPECT_EQ(use.weights, 0);
  EXPECT_EQ(use.optimizer, 0);
  EXPECT_GT(use.gathered, 0);
}

TEST(ShardedMemory, OfWhatTheAllocatorReservesIsAShareOfWhatItAllocates) {
  const MemoryUse use = memory_use(cluster_of(2), shipped_model("llama_2_7b"), {});
  EXPECT_NEAR(use.reserved() / use.allocated(), 1 + kFragmentation, 1e-12);
  EXPECT_NEAR(use.total() - use.reserved(), use.workspace, 1);
}

// A layer of Llama 2 7B has 202,383,360 parameters; embedding, head and last norm 262,148,096.
constexpr double kLayer = 202'383'360;
constexpr double kEnds = 262'148'096;

TEST(ShardedMemory, OfGatheredWeightsIsTheUnitsUnderWayInBf16) {
  const Model model = shipped_model("llama_2_7b");
  const auto gathered = [&](Sharding sharding, bool overlap = true) {
    sharding.stage = 3;
    return memory_use(cluster_of(2), model, {.overlap = {.weights = overlap}, .sharding = sharding})
        .gathered;
  };
  EXPECT_DOUBLE_EQ(gathered({}), 2 * (kEnds + 2 * kLayer));
  EXPECT_DOUBLE_EQ(gathered({.prefetch = 3}), 2 * (kEnds + 4 * kLayer));
  EXPECT_DOUBLE_EQ(gathered({.unit_layers = 4}), 2 * (kEnds + 8 * kLayer));
  EXPECT_DOUBLE_EQ(gathered({.prefetch = 3}, false), 2 * (kEnds + kLayer));
  EXPECT_DOUBLE_EQ(gathered({.reshard_after_forward = false}), 2 * (kEnds + 32 * kLayer));
  EXPECT_DOUBLE_EQ(gathered({.prefetch = 100}), 2 * (kEnds + 32 * kLayer));  // there are no more
}

TEST(ShardedMemory, OfWholeGradientsIsWhatIsOnItsWay) {
  Model model = shipped_model("llama_2_7b");
  const Parallelism full{.recompute = Recompute::full,
                         .attention = Attention::fused,
                         .loss = Loss::fused,
                         .gradients = Precision::bf16,
                         .overlap = {.gradients = true},
                         .sharding = {.stage = 3}};
  const MemoryUse use = memory_use(cluster_of(2), model, full);
  // Two units' BF16 gradients, one of them copied to where it is sent from, and the root's.
  EXPECT_DOUBLE_EQ(use.buckets, (2 * 2 + 2) * kLayer + 2 * kEnds);
  Parallelism buckets = full;
  buckets.sharding.stage = 2;
  EXPECT_DOUBLE_EQ(memory_use(cluster_of(2), model, buckets).buckets,
                   2 * static_cast<double>(buckets.bucket.count));
}

TEST(ShardedMemory, HoldsTheHeadOrTheBackwardPassOfALayerAndNotBoth) {
  Model model = shipped_model("llama_2_7b");
  for (const int vocabulary : {1000, 32'000, 1'000'000}) {
    model.vocabulary = vocabulary;
    const MemoryUse use =
        memory_use(cluster_of(2), model, {.recompute = Recompute::full, .sharding = {.stage = 3}});
    EXPECT_TRUE(use.head == 0 || use.recomputed + use.buckets == 0);
    EXPECT_GT(use.head + use.recomputed, 0);
  }
}

TEST(ShardedMemory, OfTorchtitansRunsIsWithinFivePercentOfWhatCompiledRunsMeasured) {
  // traces/published/fsdp_h100_torchtitan.csv, peak memory reserved: 77.0 GiB on 8 GPUs, 62.0 on 128.
  const Cluster cluster = read_cluster(source_directory() / "topologies/torchtitan_h100.toml");
  Parallelism p{.micro_batch = 2,
                .recompute = Recompute::alternate,
                .attention = Attention::fused,
                .kernels = Kernels::compiled,
                .overlap = {.gradients = true, .weights = true},
                .sharding = {.stage = 3}};
  Model model = shipped_model("llama_3_8b");
  for (const auto& [count, measured_gib] : {std::pair{1, 77.0}, std::pair{16, 62.0}}) {
    Cluster part = cluster;
    part.nodes = count;
    EXPECT_NEAR(memory_use(part, model, p).reserved() / 1073741824 / measured_gib, 1, 0.05);
  }
}

std::vector<std::string> what_would_fit(const Cluster& cluster, const Model& model,
                                        const Parallelism& parallelism, double capacity_bytes) {
  return remedies_that_fit(
      parallelism, capacity_bytes,
      [&](const Parallelism& p) { return layout_remedies(cluster, model, p); },
      [&](const Parallelism& p) { return memory_use(cluster, model, p).total(); });
}

TEST(MemoryRemedies, FitAndAreTheSingleOnesWhereTheseAreEnough) {
  const Cluster cluster = cluster_of(2);
  const Model model = shipped_model("llama_2_7b");
  const Parallelism p{.micro_batch = 4, .recompute = Recompute::none};
  const double needed = memory_use(cluster, model, p).total();
  const auto remedies = what_would_fit(cluster, model, p, needed - 1);
  EXPECT_GT(remedies.size(), 4U);  // all of them help
  for (const std::string& one : remedies) EXPECT_EQ(one.find("--", 2), std::string::npos) << one;
}

// Where GPUs have a link to their host, and only if that is enough.
TEST(MemoryRemedies, MoveTheOptimizersStateToHostsWhereThatIsEnough) {
  Cluster cluster = cluster_of(2);
  const Model model = shipped_model("llama_2_7b");
  const Parallelism p{.micro_batch = 4, .recompute = Recompute::none};
  const MemoryUse use = memory_use(cluster, model, p);
  const auto is_offered = [&](double capacity) {
    const auto remedies = what_would_fit(cluster, model, p, capacity);
    return std::ranges::any_of(remedies, [](const std::string& one) {
      return one.starts_with("`optimizer-state` host (");
    });
  };
  cluster.gpu.host_bandwidth = 50_GBps;
  const double freed = (1 + kFragmentation) * use.optimizer;
  EXPECT_TRUE(is_offered(use.total() - freed + 1));
  EXPECT_FALSE(is_offered(use.total() - freed - 1));
  cluster.gpu.host_bandwidth.reset();
  EXPECT_FALSE(is_offered(use.total() - freed + 1));
}

TEST(MemoryRemedies, ReduceGradientsOfEachMicroBatchWhereTheyAccumulateWhole) {
  const Model model = shipped_model("llama_2_7b");
  Parallelism p{.accumulation = 4, .sharding = {.stage = 3, .reduces_once = true}};
  const double needed = memory_use(cluster_of(2), model, p).total();
  const auto remedies = what_would_fit(cluster_of(2), model, p, needed - 1);
  ASSERT_FALSE(remedies.empty());
  EXPECT_TRUE(remedies.front().starts_with("`gradient-sync` micro-batch (")) << remedies.front();
}

TEST(MemoryRemedies, AddUpWhereNoneIsEnough) {
  const Cluster cluster = cluster_of(2);
  const Model model = shipped_model("llama_2_7b");
  const Parallelism p{.micro_batch = 4, .recompute = Recompute::none};
  const auto remedies = what_would_fit(cluster, model, p, 12e9);
  ASSERT_EQ(remedies.size(), 1U);
  EXPECT_NE(remedies.front().find("`zero` 3"), std::string::npos) << remedies.front();
  EXPECT_TRUE(what_would_fit(cluster, model, p, 1e6).empty());
}

}  // namespace
}  // namespace sim
