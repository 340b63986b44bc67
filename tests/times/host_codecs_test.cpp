// SPDX-License-Identifier: Apache-2.0
// Codecs on hosts: the law by which ranks share cores, in limits and closed forms.
#include "sim/times/host_codecs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "sim/engine/simulate.hpp"
#include "sim/schedule/builder.hpp"
#include "sim/times/roofline.hpp"
#include "sim/topology/ranks.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

constexpr double kCopy = 10e9;  // bytes per second

Calibration host(int threads) {
  return {.name = "host",
          .gpu = "CPU",
          .copy_bandwidth = Bandwidth::from_base(kCopy),
          .threads = threads};
}

Cluster with_cores_of(std::optional<double> cores, std::optional<int> ranks = {}) {
  Cluster cluster = sample_cluster({});
  cluster.host = {.cores = cores, .ranks = ranks};
  return cluster;
}

double slowdown(const Cluster& cluster, int threads = 1) {
  return with_cores(host(threads), cluster).codec_slowdown;
}

TEST(HostCodecs, TakeThreadsOverCoresAsLong) {
  EXPECT_DOUBLE_EQ(slowdown(with_cores_of({})), 1);
  const int ranks = with_cores_of({}).gpus_per_node;
  EXPECT_DOUBLE_EQ(slowdown(with_cores_of(ranks)), 1);
  EXPECT_DOUBLE_EQ(slowdown(with_cores_of(2 * ranks)), 1);
  EXPECT_DOUBLE_EQ(slowdown(with_cores_of(ranks), 4), 4);
  EXPECT_DOUBLE_EQ(slowdown(with_cores_of(0.5 * ranks)), 2);
  EXPECT_DOUBLE_EQ(slowdown(with_cores_of(2, 4)), 2);
  EXPECT_DOUBLE_EQ(slowdown(with_cores_of(2, 2)), 1);
  EXPECT_DOUBLE_EQ(with_cores(host(1), with_cores_of(2, 4)).copy_bandwidth->base(), kCopy / 2);
}

TEST(HostCores, LimitWhatRanksSendTogether) {
  Cluster cluster = with_cores_of(2, 4);
  const double rate = nic_rate(cluster).base();
  cluster.host.core_bandwidth = Bandwidth::from_base(rate);
  const double per_nic = 1.0 * cluster.gpus_per_node / cluster.network.nics_per_node;
  EXPECT_DOUBLE_EQ(nic_rate(cluster).base(), std::min(rate, rate * 2 / 4 * per_nic));
  cluster.host.core_bandwidth = Bandwidth::from_base(rate / 1000);
  EXPECT_DOUBLE_EQ(nic_rate(cluster).base(), rate / 1000 * 2 / 4 * per_nic);
  cluster.host.cores.reset();
  EXPECT_DOUBLE_EQ(nic_rate(cluster).base(), rate);
}

// Beside a kernel of the GPU, of which it takes nothing.
TEST(HostCodecs, RunBesideTheGpu) {
  const Cluster cluster = sample_cluster({});
  ScheduleBuilder builder(16);
  builder.work(0, Stream::compute, Phase::forward, "kernel", 2, 0);
  builder.host_work(0, Stream::codec, Phase::encode, "encode", 3, {});
  builder.host_work(0, Stream::codec, Phase::encode, "encode", 4, {});
  const Schedule schedule = std::move(builder).finish();
  EXPECT_NEAR(simulate(schedule, cluster).makespan_s, 7, 1e-9);
}

TEST(HostCodecs, OfAStepTakeTheHostsTimes) {
  Calibration table = roofline();
  table.host_codecs = std::make_shared<const Calibration>(host(1));
  const Gpu gpu = sample_cluster({}).gpu;
  const CodecUse use{.operation = codecs::Operation::encode,
                     .wire = {.format = codecs::codec_named("int8_g512_sr").format},
                     .elements = 1 << 20};
  EXPECT_EQ(step_codec_time(table, gpu, use).seconds, codec_time(table, gpu, use).seconds);
  table.hosts_encode_steps = true;
  EXPECT_EQ(step_codec_time(table, gpu, use).seconds, host_codec_time(table, use).seconds);
  // Bytes at the rate of the host's copies.
  EXPECT_GT(host_codec_time(table, use).seconds, 5.0 * (1 << 20) / kCopy);
}

TEST(HostCodecs, SumAndEncodeAgainInTwoKernels) {
  Calibration table = roofline();
  table.host_codecs = std::make_shared<const Calibration>(host(1));
  const Wire int8{.format = codecs::codec_named("int8_g512_sr").format};
  const Wire int4{.format = codecs::codec_named("int4_g128").format};
  const auto seconds = [&](const CodecUse& use) { return host_codec_time(table, use).seconds; };
  constexpr double kElements = 1 << 20;
  EXPECT_DOUBLE_EQ(
      seconds({.operation = codecs::Operation::decode_reduce_encode,
               .wire = int8,
               .wire_out = int4,
               .inputs = 4,
               .elements = kElements}),
      seconds({.operation = codecs::Operation::decode_reduce,
               .wire = int8,
               .inputs = 4,
               .elements = kElements}) +
          seconds({.operation = codecs::Operation::encode, .wire = int4, .elements = kElements}));
}

}  // namespace
}  // namespace sim
