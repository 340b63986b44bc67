// SPDX-License-Identifier: Apache-2.0
// When sharded steps gather and reduce, what that can hide and what it holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "sim/topology/gpu_speeds.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

const Scheme& plain_sharding() { return scheme_named("sharded"); }

constexpr Overlap kFsdp{.gradients = true, .weights = true};

// Compute and communication of about the same length.
Cluster sharding_cluster(double nvlink = 1) {
  Cluster cluster = without_fixed_times(small_cluster(1, 4));
  cluster.nvlink.bandwidth = 100_GBps * nvlink;
  return cluster;
}

// Links and memory that cost nothing.
Cluster free_bytes(int nodes, int gpus) {
  Cluster cluster = without_fixed_times(small_cluster(nodes, gpus));
  for (Bandwidth* bandwidth :
       {&cluster.nvlink.bandwidth, &cluster.network.nic_bandwidth, &cluster.gpu.memory_bandwidth}) {
    *bandwidth = Bandwidth::from_base(1e21);
  }
  cluster.gpu.fp32 = FlopRate::from_base(1e30);
  return cluster;
}

double all_work(const Schedule& schedule, int rank = 0) {
  return work_seconds(schedule, rank, [](const Operation&) { return true; });
}

TEST(ShardedStep, WithFreeBytesTakesItsProducts) {
  const Cluster cluster = free_bytes(2, 4);
  for (const int stage : {1, 2, 3}) {
    for (const int group : {0, 4}) {
      if (group > 0 && stage < 3) continue;
      for (const Overlap& overlap : {Overlap{}, kFsdp}) {
        const Schedule schedule = plan(
            cluster, deep_model(),
            {.accumulation = 2, .overlap = overlap, .sharding = {.stage = stage, .ranks = group}},
            plain_sharding());
        EXPECT_NEAR(simulate(schedule, cluster).makespan_s / all_work(schedule), 1, 1e-6)
            << "stage " << stage;
      }
    }
  }
}

// One node, no fixed times and nothing beside anything: kernels one after the other, and the bytes
// that a GPU sends over its port.
TEST(ShardedStep, WithoutOverlapIsTheSumOfItsKernelsAndItsBytes) {
  const Cluster cluster = sharding_cluster();
  for (const int stage : {1, 2, 3}) {
    for (const int layers : {1, 3}) {
      const Schedule schedule =
          plan(cluster, deep_model(),
               {.accumulation = 2, .sharding = {.stage = stage, .unit_layers = layers}},
               plain_sharding());
      const double bytes_s = mean(sent_bytes(schedule).intra_node) / nvlink_rate(cluster).base();
      EXPECT_NEAR(simulate(schedule, cluster).makespan_s / (all_work(schedule) + bytes_s), 1, 1e-6)
          << "stage " << stage << ", units of " << layers;
    }
  }
}

double step_of(const Cluster& cluster, const Sharding& sharding) {
  return step_time(cluster, deep_model(),
                   {.accumulation = 2, .overlap = kFsdp, .sharding = sharding}, plain_sharding());
}

TEST(Prefetch, IsNeverSlowerThanNoneAndHidesSomething) {
  for (const double nvlink : {0.1, 1.0, 10.0}) {
    const Cluster cluster = sharding_cluster(nvlink);
    const double none = step_of(cluster, {.stage = 3, .prefetch = 0});
    for (const int prefetch : {1, 2, 100}) {
      EXPECT_LT(step_of(cluster, {.stage = 3, .prefetch = prefetch}), none)
          << prefetch << " units ahead, NVLink x " << nvlink;
    }
  }
}

TEST(Prefetch, AfterTheBackwardPassOfAUnitIsNeverFasterThanBefore) {
  for (const double nvlink : {0.1, 1.0, 10.0}) {
    const Cluster cluster = sharding_cluster(nvlink);
    const double before = step_of(cluster, {.stage = 3});
    const double after = step_of(cluster, {.stage = 3, .prefetch_after_backward = true});
    EXPECT_GE(after, before * (1 - 1e-6)) << "NVLink x " << nvlink;
    EXPECT_LT(after, step_of(cluster, {.stage = 3, .prefetch = 0})) << "NVLink x " << nvlink;
  }
}

TEST(Reshard, AfterTheForwardPassIsNeverFasterThanLater) {
  for (const double nvlink : {0.1, 1.0, 10.0}) {
    const Cluster cluster = sharding_cluster(nvlink);
    EXPECT_GT(step_of(cluster, {.stage = 3}),
              step_of(cluster, {.stage = 3, .reshard_after_forward = false}));
  }
}

TEST(HybridSharding, OverNodesIsFasterWhereLinksBetweenThemAreSlow) {
  Cluster cluster = small_cluster();
  cluster.network.nic_bandwidth = 5_GBps;
  EXPECT_LT(step_of(cluster, {.stage = 3, .ranks = 4}), step_of(cluster, {.stage = 3}));
}

// Slow links: the reduction lasts longer than what computes beside it.
TEST(TiedEmbeddings, AreSummedOverTheStagesThatHoldThemOnceTheirGradientsAreReduced) {
  Cluster cluster = small_cluster();
  cluster.nvlink.bandwidth = 1_GBps;
  for (const int stage : {1, 2, 3}) {
    const Schedule schedule =
        plan(cluster, deep_model(),
             {.pipeline = 2, .accumulation = 2, .overlap = kFsdp, .sharding = {.stage = stage}},
             plain_sharding());
    const Timeline timeline = simulate(schedule, cluster);
    std::map<int, double> reduced_s;
    int summed = 0;
    for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
      const Operation& one = schedule.operations[i];
      if (one.kind != OperationKind::member) continue;
      if (one.phase == Phase::gradient_comm) reduced_s[one.rank] = timeline.end_s[i];
      if (schedule.labels[one.label] != "all_reduce tied embeddings") continue;
      EXPECT_GE(timeline.start_s[i], reduced_s.at(one.rank)) << "stage " << stage;
      ++summed;
    }
    EXPECT_EQ(summed, 8);  // every rank has one end of the model
  }
}

// All other GPUs wait for it, whether they exchange something after each layer or once.
TEST(DifferentGpus, LastAsLongAsTheSlowest) {
  Cluster cluster = free_bytes(2, 4);
  for (const int stage : {1, 2, 3}) {
    cluster.speed_spread = 0;
    const double equal = step_of(cluster, {.stage = stage});
    cluster.speed_spread = 0.1;
    EXPECT_NEAR(step_of(cluster, {.stage = stage}) / equal,
                std::ranges::max(rank_slowdowns(cluster)), 1e-6);
  }
}

struct Span {
  double start = 0, end = 0;
};

// Rank 0's gathers of units, in the order of their use, and the compute that each is for. Units are
// layers; a micro-batch uses them forward, then backward.
struct WeightUses {
  std::vector<Span> gathers, computes;
};

WeightUses uses_of(const Cluster& cluster, const Parallelism& parallelism) {
  const Model model = deep_model();
  const Schedule schedule = plan(cluster, model, parallelism, plain_sharding());
  const Timeline timeline = simulate(schedule, cluster);
  WeightUses uses;
  std::map<std::string, Span> backward;
  for (std::size_t i = 0; i < schedule.operations.size(); ++i) {
    const Operation& one = schedule.operations[i];
    const Span span{timeline.start_s[i], timeline.end_s[i]};
    if (one.rank != 0) continue;
    const std::string& label = schedule.labels[one.label];
    if (one.phase == Phase::weight_comm) uses.gathers.push_back(span);
    if (!label.starts_with("layer ")) continue;
    if (one.phase == Phase::forward) {
      uses.computes.push_back(span);
      continue;
    }
    // A layer's backward pass ends with its attention.
    const std::string layer = label.substr(0, std::string("layer 0").size());
    if (!backward.contains(layer)) backward[layer].start = span.start;
    backward[layer].end = span.end;
  }
  uses.gathers.erase(uses.gathers.begin());  // embedding and head
  for (const char* layer : {"layer 3", "layer 2", "layer 1", "layer 0"}) {
    uses.computes.push_back(backward.at(layer));
  }
  return uses;
}

class PrefetchDepth : public testing::TestWithParam<int> {};

TEST_P(PrefetchDepth, GathersAUnitOnceThoseMoreThanThatBeforeItAreComputed) {
  const int ahead = GetParam();
  for (const double nvlink : {0.1, 1.0, 10.0}) {
    const WeightUses uses = uses_of(
        sharding_cluster(nvlink), {.overlap = kFsdp, .sharding = {.stage = 3, .prefetch = ahead}});
    ASSERT_EQ(uses.gathers.size(), 8U);
    ASSERT_EQ(uses.computes.size(), 8U);
    for (std::size_t j = 0; j < 8; ++j) {
      EXPECT_GE(uses.computes[j].start, uses.gathers[j].end);
      const std::size_t pass = j < 4 ? 0 : 4;  // none is gathered ahead of its own pass
      const auto before = static_cast<int>(j) - 1 - ahead;
      const int freed = std::max(before, static_cast<int>(pass) - 1);
      if (freed < 0) continue;
      EXPECT_GE(uses.gathers[j].start, uses.computes[static_cast<std::size_t>(freed)].end) << j;
    }
  }
}

// From the start of its gather to the end of its compute.
TEST_P(PrefetchDepth, HoldsAsManyUnitsAndTheOneThatComputes) {
  for (const double nvlink : {0.1, 1.0, 10.0}) {
    const WeightUses uses =
        uses_of(sharding_cluster(nvlink),
                {.overlap = kFsdp, .sharding = {.stage = 3, .prefetch = GetParam()}});
    for (const Span& now : uses.gathers) {
      int held = 0;
      for (std::size_t j = 0; j < uses.gathers.size(); ++j) {
        held += uses.gathers[j].start <= now.start && now.start < uses.computes[j].end ? 1 : 0;
      }
      EXPECT_LE(held, 1 + GetParam());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Units, PrefetchDepth, testing::Values(0, 1, 2));

}  // namespace
}  // namespace sim
