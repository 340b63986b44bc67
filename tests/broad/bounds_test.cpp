// SPDX-License-Identifier: Apache-2.0
// What no step can beat, and how its time moves with the hardware.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/schedule/least_time.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

// What is planned in these tests: no overlap, all of it, several micro-batches, at every stage that
// the scheme is defined for.
std::vector<Parallelism> settings(const Scheme& scheme) {
  std::vector<Parallelism> all;
  for (const int stage : scheme.zero) {
    const auto add = [&](Parallelism p) {
      p.sharding.stage = stage;
      all.push_back(p);
    };
    if (stage == 2) {
      add({.accumulation = 2, .overlap = kOverlapAll, .bucket = 8_MiB});
      continue;
    }
    add({});
    add({.tensor = 2, .accumulation = 2, .overlap = kOverlapAll, .bucket = 8_MiB});
    add({.tensor = 2, .pipeline = 2, .virtual_stages = stage == 3 ? 2 : 1, .accumulation = 3});
  }
  if (scheme.name == "sharded") {
    all.push_back({.overlap = kOverlapAll, .sharding = {.stage = 3, .ranks = 4}});
    all.push_back({.accumulation = 2, .sharding = {.stage = 3, .prefetch_after_backward = true}});
    all.push_back({.accumulation = 3,
                   .overlap = kOverlapAll,
                   .sharding = {.stage = 3, .reduces_once = true}});
    all.push_back(
        {.pipeline = 2, .accumulation = 4, .sharding = {.stage = 3, .reduces_once = true}});
  }
  return all;
}

// Those of them where something runs beside something else.
std::vector<Parallelism> overlapped_settings(const Scheme& scheme) {
  std::vector<Parallelism> all = settings(scheme);
  std::erase_if(all, [](const Parallelism& p) { return !p.overlap.gradients; });
  return all;
}

void expect_bytes_fit(const Schedule& schedule, const Cluster& cluster, double step_s) {
  const SentBytes sent = sent_bytes(schedule);
  std::vector<double> leaving(static_cast<std::size_t>(cluster.nodes));
  for (int rank = 0; rank < rank_count(cluster); ++rank) {
    const auto r = static_cast<std::size_t>(rank);
    EXPECT_LE(sent.intra_node[r] / nvlink_rate(cluster).base(), step_s);
    leaving[static_cast<std::size_t>(node_of(cluster, rank))] += sent.inter_node[r];
  }
  const double node_rate = nic_rate(cluster).base() * cluster.network.nics_per_node;
  for (const double bytes : leaving) EXPECT_LE(bytes / node_rate, step_s);
}

// Kernels of all streams share one GPU.
void expect_kernels_fit(const Schedule& schedule, double step_s) {
  for (int rank = 0; rank < schedule.ranks; ++rank) {
    const double busy_s = work_seconds(schedule, rank, [](const Operation&) { return true; });
    EXPECT_LE(busy_s, step_s * (1 + 1e-9));
  }
}

class Bounds : public EveryScheme {};

// A step of the detail, held against what it cannot beat.
double bounded_step_time(const Cluster& cluster, const Parallelism& parallelism,
                         const Scheme& scheme, Detail detail) {
  const Schedule schedule = plan(cluster, deep_model(), parallelism, scheme, detail);
  const Timeline timeline = simulate(schedule, cluster);
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  expect_bytes_fit(schedule, cluster, timeline.makespan_s);
  expect_kernels_fit(schedule, timeline.makespan_s);
  EXPECT_LE(least_time(schedule, wire(schedule, cluster)).base(), timeline.makespan_s);
  return timeline.makespan_s;
}

TEST_P(Bounds, AStepTakesAtLeastItsComputeAndItsBytesFoldedOrNot) {
  const Cluster cluster = small_cluster();
  for (const Parallelism& parallelism : settings(scheme())) {
    const double folded = bounded_step_time(cluster, parallelism, scheme(), Detail::folded);
    const double unfolded = bounded_step_time(cluster, parallelism, scheme(), Detail::step_by_step);
    EXPECT_NEAR(folded / unfolded, 1, 0.025);
  }
}

// Flows start inside the completions of others.
TEST_P(Bounds, AStepWithoutFixedTimesTakesAtLeastItsComputeAndItsBytes) {
  for (const Parallelism& parallelism : overlapped_settings(scheme())) {
    for (const Detail detail : {Detail::folded, Detail::step_by_step}) {
      bounded_step_time(without_fixed_times(small_cluster()), parallelism, scheme(), detail);
    }
  }
}

// `factor` times every bandwidth, and every fixed time as much shorter.
Cluster scaled(Cluster cluster, double factor) {
  cluster.nvlink.bandwidth = cluster.nvlink.bandwidth * factor;
  cluster.network.nic_bandwidth = cluster.network.nic_bandwidth * factor;
  cluster.gpu.memory_bandwidth = cluster.gpu.memory_bandwidth * factor;
  for (Seconds* fixed :
       {&cluster.nvlink.latency, &cluster.network.latency, &cluster.network.switch_latency,
        &cluster.collectives.launch, &cluster.gpu.launch_latency}) {
    *fixed = *fixed / factor;
  }
  return cluster;
}

TEST_P(Bounds, TwiceTheHardwareHalvesAStepOfCommunicationAndMemory) {
  Cluster cluster = small_cluster();
  cluster.gpu.bf16 = FlopRate::from_base(1e30);  // only bytes and fixed times count
  cluster.gpu.launch_latency = 4_us;
  for (const Parallelism& parallelism : settings(scheme())) {
    const double once = step_time(cluster, deep_model(), parallelism, scheme());
    const double twice = step_time(scaled(cluster, 2), deep_model(), parallelism, scheme());
    EXPECT_NEAR(once / twice, 2, 1e-6);
  }
}

// How much longer the step takes when one kind of link or memory is twice as fast.
double worst_of_more_bandwidth(const Parallelism& parallelism, const Scheme& scheme) {
  const Cluster cluster = small_cluster();
  Cluster nvlink = cluster, nics = cluster, memory = cluster;
  nvlink.nvlink.bandwidth = cluster.nvlink.bandwidth * 2;
  nics.network.nic_bandwidth = cluster.network.nic_bandwidth * 2;
  memory.gpu.memory_bandwidth = cluster.gpu.memory_bandwidth * 2;
  const double before = step_time(cluster, deep_model(), parallelism, scheme);
  double worst = 0;
  for (const Cluster& faster : {nvlink, nics, memory}) {
    worst = std::max(worst, step_time(faster, deep_model(), parallelism, scheme) / before);
  }
  return worst;
}

TEST_P(Bounds, MoreBandwidthNeverMakesAStepSlower) {
  EXPECT_LE(worst_of_more_bandwidth(defined(scheme()), scheme()), 1 + 1e-9);
  const Parallelism deep{.tensor = 2, .pipeline = 2, .accumulation = 3};
  EXPECT_LE(worst_of_more_bandwidth(defined(scheme(), deep), scheme()), 1 + 1e-9);
}

// A faster flow takes more memory bandwidth for a shorter time. A kernel that memory bounds in part
// slows down by 1 / (what is left of it), which grows faster than the time shrinks.
TEST_P(Bounds, MoreBandwidthBesideComputeCostsAtMostItsBursts) {
  for (const Parallelism& parallelism : overlapped_settings(scheme())) {
    EXPECT_LE(worst_of_more_bandwidth(parallelism, scheme()), 1.005);
  }
}

TEST_P(Bounds, TwoRunsAgreeToTheLastBit) {
  const Cluster cluster = small_cluster();
  for (const Parallelism& parallelism : overlapped_settings(scheme())) {
    const Schedule schedule = plan(cluster, deep_model(), parallelism, scheme());
    const Timeline first = simulate(schedule, cluster);
    const Timeline second = simulate(plan(cluster, deep_model(), parallelism, scheme()), cluster);
    EXPECT_EQ(first.start_s, second.start_s);
    EXPECT_EQ(first.end_s, second.end_s);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Bounds, testing::ValuesIn(scheme_rows()), scheme_label);

}  // namespace
}  // namespace sim
