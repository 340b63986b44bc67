// SPDX-License-Identifier: Apache-2.0
// An optimizer whose state the hosts keep: what it frees, and what its copies take.
#include <gtest/gtest.h>

#include <limits>
#include <memory>

#include "sim/times/host_update.hpp"
#include "sim/workload/memory.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

constexpr double kLink = 10e9;        // of a GPU to its host, each way
constexpr double kHostMemory = 50e9;  // of the host, for one GPU
constexpr double kShard = kSampleParameters / 8;

Cluster linked_cluster(double link_Bps = kLink) {
  Cluster cluster = small_cluster();
  cluster.gpu.host_bandwidth = Bandwidth::from_base(link_Bps);
  cluster.gpu.host_efficiency = 1;
  return cluster;
}

Parallelism keeping(OptimizerState state, int stage, Optimizer optimizer = Optimizer::adamw) {
  return {.optimizer = optimizer, .optimizer_state = state, .sharding = {.stage = stage}};
}

double seconds_of(const Cluster& cluster, const Parallelism& p,
                  const Calibration& calibration = roofline()) {
  return simulate(whole_step({cluster, sample_model(), calibration, p}, scheme_named("sharded")),
                  cluster)
      .makespan_s;
}

Calibration with_hosts() {
  Calibration table = roofline();
  table.host_codecs = std::make_shared<const Calibration>(
      Calibration{.copy_bandwidth = Bandwidth::from_base(kHostMemory)});
  return table;
}

// FP32 weights and two moments; FSDP's weights stay on the GPUs.
TEST(OptimizerState, OfAdamWHasTwelveBytesAParameterOrEight) {
  for (const auto& [stage, bytes] : {std::pair{1, 12}, {2, 12}, {3, 8}}) {
    const Parallelism p = keeping(OptimizerState::gpu, stage);
    EXPECT_DOUBLE_EQ(optimizer_bytes(small_cluster(), sample_model(), p, 0), bytes * kShard);
  }
}

TEST(OptimizerState, OnHostsIsCopiedThereAndBack) {
  for (const int stage : {1, 2, 3}) {
    for (const Optimizer optimizer :
         {Optimizer::adamw, Optimizer::adamw_foreach, Optimizer::muon}) {
      const Parallelism on_gpu = keeping(OptimizerState::gpu, stage, optimizer);
      const double bytes = optimizer_bytes(linked_cluster(), sample_model(), on_gpu, 0);
      const double added_s =
          seconds_of(linked_cluster(), keeping(OptimizerState::host, stage, optimizer)) -
          seconds_of(linked_cluster(), on_gpu);
      EXPECT_NEAR(added_s / (2 * bytes / kLink), 1, 1e-6) << stage;
    }
  }
}

TEST(OptimizerState, OverAnInfiniteLinkTakesTheTimeOfStateOnGpus) {
  const Cluster cluster = linked_cluster(std::numeric_limits<double>::infinity());
  for (const int stage : {1, 3}) {
    EXPECT_EQ(seconds_of(cluster, keeping(OptimizerState::host, stage)),
              seconds_of(cluster, keeping(OptimizerState::gpu, stage)));
  }
}

TEST(OptimizerState, OnHostsLeavesTheGpusMemory) {
  const Cluster cluster = linked_cluster();
  for (const int stage : {1, 2, 3}) {
    const Parallelism on_gpu = keeping(OptimizerState::gpu, stage);
    const Parallelism on_host = keeping(OptimizerState::host, stage);
    const double bytes = optimizer_bytes(cluster, sample_model(), on_gpu, 0);
    const MemoryUse before = memory_use(cluster, sample_model(), on_gpu);
    const MemoryUse after = memory_use(cluster, sample_model(), on_host);
    EXPECT_EQ(before.optimizer, bytes);
    EXPECT_EQ(after.optimizer, 0);
    EXPECT_NEAR(before.allocated() - after.allocated(), bytes, 1);
    EXPECT_EQ(host_optimizer_bytes(cluster, sample_model(), on_gpu, roofline()), 0);
    EXPECT_EQ(host_optimizer_bytes(cluster, sample_model(), on_host, roofline()), bytes);
  }
}

// ZeRO-Offload's form: FP32 gradients go to the hosts, which read them, read and write weights and
// moments and write the weights that come back, in BF16 or, of FSDP's shards, in FP32. The GPUs' own
// update and cast are gone.
TEST(OptimizerState, OfHostsWhoseSpeedIsKnownIsUpdatedThere) {
  const Cluster cluster = linked_cluster();
  for (const int stage : {1, 2, 3}) {
    const double weight = stage == 3 ? 4 : 2;
    const double on_host_s = (4 + weight) / kLink + (4 + 24 + weight) / kHostMemory;
    const double on_gpu_s = (28 + (stage == 3 ? 0 : 6)) / 2000e9;
    const double added_s = seconds_of(cluster, keeping(OptimizerState::host, stage), with_hosts()) -
                           seconds_of(cluster, keeping(OptimizerState::gpu, stage), with_hosts());
    EXPECT_NEAR(added_s / ((on_host_s - on_gpu_s) * kShard), 1, 1e-6) << stage;
    EXPECT_DOUBLE_EQ(host_optimizer_bytes(cluster, sample_model(),
                                          keeping(OptimizerState::host, stage), with_hosts()),
                     12 * kShard);
  }
}

// FSDP's CPU offload and DeepSpeed's offload_param: FP32 shards of layers come once for each gather, of
// the ends once a micro-batch; without host_codecs, weights go with the state to the GPU and back.
TEST(OptimizerState, OfWeightsOnHostsIsFetchedBeforeEachGather) {
  Parallelism without = keeping(OptimizerState::host, 3);
  without.accumulation = 3;
  Parallelism p = without;
  p.sharding.weights_on_hosts = true;
  constexpr double kLayers = 2 * (12 * 512 * 512 + 2 * 512);
  constexpr double kEnds = kSampleParameters - kLayers;
  const double fetched = 4 * 3 * (2 * kLayers + kEnds) / 8;
  const double added_s = seconds_of(linked_cluster(), p) - seconds_of(linked_cluster(), without);
  EXPECT_NEAR(added_s / ((fetched + 2 * 4 * kShard) / kLink), 1, 1e-6);
  EXPECT_DOUBLE_EQ(host_optimizer_bytes(linked_cluster(), sample_model(), p, roofline()),
                   12 * kShard);
  p.optimizer_state = OptimizerState::gpu;
  EXPECT_EQ(problems(linked_cluster(), sample_model(), p),
            "`offload-weights`: the optimizer updates weights on the hosts with its state there; "
            "pass `optimizer-state` host");
}

// Its products are the GPUs'.
TEST(OptimizerState, OfMuonIsNeverUpdatedByHosts) {
  const Parallelism muon = keeping(OptimizerState::host, 1, Optimizer::muon);
  EXPECT_FALSE(hosts_take_step(muon, with_hosts()));
  EXPECT_EQ(seconds_of(linked_cluster(), muon, with_hosts()), seconds_of(linked_cluster(), muon));
}

TEST(OptimizerState, OnHostsNeedsALinkToThem) {
  const Parallelism p = keeping(OptimizerState::host, 1);
  EXPECT_EQ(
      problems(small_cluster(), sample_model(), p),
      "`optimizer-state`: sample lacks gpu.host_bandwidth, over which the state is copied; add "
      "it to that cluster's file");
  EXPECT_EQ(problems(linked_cluster(), sample_model(), p), "");
}

}  // namespace
}  // namespace sim
