// SPDX-License-Identifier: Apache-2.0
// The passes over whole buffers: their bytes over the memory's bandwidth; and the buckets in which
// weights and gradients travel.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "sim/program/lay_out.hpp"
#include "tests/schedule/whole_step.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

// Seconds of rank 0's kernels on the compute stream, by what they are called.
std::map<std::string, double> passes_of(const Schedule& schedule) {
  std::map<std::string, double> seconds;
  for (const Operation& one : schedule.operations) {
    const bool pass = one.phase == Phase::memory_pass || one.phase == Phase::optimizer;
    if (one.rank == 0 && pass) seconds[schedule.labels[one.label]] += one.seconds;
  }
  return seconds;
}

TEST(MemoryPasses, TakeTheirBytesOverTheMemoryBandwidthAndALaunch) {
  Cluster cluster = small_cluster();
  cluster.gpu.memory_efficiency = 0.5;
  cluster.gpu.launch_latency = 3_us;
  const double n = kSampleParameters;
  const double shard = n / 8;
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    const double g = bytes_of(precision);
    const std::map<std::string, double> bytes{
        {"zero gradients", g * n},          // written
        {"copy weights", (2 + 2) * n},      // BF16 read and written
        {"scale gradients", (g + g) * n},   // read and written
        {"gradient norm", g * shard},       // read
        {"clip", (g + g) * shard},          // read and written
        {"adam", (g + 6 * 4) * shard},      // and weight and moments in FP32, read and written
        {"cast weights", (4 + 2) * shard},  // FP32 read, BF16 written
    };
    std::map<std::string, double> expected;
    for (const auto& [pass, moved] : bytes) expected[pass] = moved / (0.5 * 2000e9) + 3e-6;
    const auto passes =
        passes_of(plan(cluster, sample_model(), {.gradients = precision}, scheme_named("sharded")));
    ASSERT_EQ(passes.size(), expected.size());
    for (const auto& [pass, seconds] : expected) {
      ASSERT_TRUE(passes.contains(pass)) << pass;
      EXPECT_DOUBLE_EQ(passes.at(pass), seconds) << pass;
    }
  }
}

TEST(MemoryPasses, OfAnOptimizerTermByTermAre88BytesAParameter) {
  // Weight, gradient and two moments in FP32. Decay 4+4; moments scaled and added to, 8+12 each;
  // root, quotient and sum of the denominator 8+8+8; the step 12+4.
  constexpr double kBytes = (4 + 4) + 2 * (8 + 12) + (8 + 8 + 8) + (12 + 4);
  static_assert(kBytes == 88);
  for (const int stage : {1, 3}) {
    const auto passes =
        passes_of(plan(small_cluster(), sample_model(),
                       {.optimizer = Optimizer::adamw_foreach, .sharding = {.stage = stage}},
                       scheme_named("sharded")));
    EXPECT_DOUBLE_EQ(passes.at("adam"), kBytes * kSampleParameters / 8 / 2000e9);
  }
}

TEST(MemoryPasses, OfZero3CastUnpackAndPackWhatItsUnitsSend) {
  const double layers = 2 * (12 * 512 * 512 + 2 * 512);
  const double ends = kSampleParameters - layers;
  Cluster cluster = small_cluster();
  cluster.gpu.fp8 = 800_TFLOPs;
  for (const bool fp8 : {false, true}) {
    const Parallelism parallelism{.accumulation = 3,
                                  .matrices = fp8 ? MatrixPrecision::fp8 : MatrixPrecision::bf16,
                                  .gathers_matrices = fp8,
                                  .sharding = {.stage = 3}};
    // Layers are gathered twice a micro-batch, the ends once. FP32 is read and cast; FP8's scale
    // takes a read before.
    const double cast = 2 * layers * (fp8 ? 4 + 4 + 1 : 4 + 2) + ends * (4 + 2);
    const double unpack = 2 * layers * 2 * (fp8 ? 1 : 2) + ends * 2 * 2;
    const std::map<std::string, double> expected{
        {"cast weights", 3 * cast / 8},
        {"unpack weights", 3 * unpack},
        {"pack gradients", 3 * (2 + 4) * (layers + ends)},  // BF16 read, FP32 written
        {"gradient norm", 4 * (layers + ends) / 8},
        {"clip", 8 * (layers + ends) / 8},
        {"adam", 28 * (layers + ends) / 8},
    };
    const auto passes =
        passes_of(plan(cluster, sample_model(), parallelism, scheme_named("sharded")));
    ASSERT_EQ(passes.size(), expected.size());
    for (const auto& [pass, bytes] : expected) {
      ASSERT_TRUE(passes.contains(pass)) << pass;
      EXPECT_NEAR(passes.at(pass) / (bytes / 2000e9), 1, 1e-12) << pass;
    }
  }
}

// Whole gradients in FP32: the first micro-batch's are cast (2 + 4), each other one's added (2 + 4 + 4),
// and the sum is copied to where it is sent from (4 + 4). In BF16 the first ones are the sum.
TEST(MemoryPasses, OfGradientsThatAreReducedOnceAddThemAndPackTheSum) {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    const double g = bytes_of(precision);
    const auto passes = passes_of(plan(
        small_cluster(), sample_model(),
        {.accumulation = 3, .gradients = precision, .sharding = {.stage = 3, .reduces_once = true}},
        scheme_named("sharded")));
    const double first = precision == Precision::bf16 ? 0 : 2 + g;
    const double added = (first + 2 * (2 + g + g)) * kSampleParameters;
    EXPECT_NEAR(passes.at("accumulate gradients") / (added / 2000e9), 1, 1e-12);
    EXPECT_NEAR(passes.at("pack gradients") / (2 * g * kSampleParameters / 2000e9), 1, 1e-12);
  }
}

// Gradient, weight and moments are read, the last three written; BF16 shards are copied, not cast.
TEST(MemoryPasses, OfTheOptimizerFollowItsPrecision) {
  const auto bytes = [](OptimizerPrecision precision, Optimizer optimizer, int stage,
                        const std::string& pass) {
    const auto passes = passes_of(plan(small_cluster(), sample_model(),
                                       {.optimizer = optimizer,
                                        .optimizer_precision = precision,
                                        .gradients = Precision::bf16,
                                        .sharding = {.stage = stage}},
                                       scheme_named("sharded")));
    return passes.contains(pass) ? passes.at(pass) * 2000e9 / (kSampleParameters / 8) : 0;
  };
  using enum OptimizerPrecision;
  EXPECT_NEAR(bytes(bf16, Optimizer::adamw, 3, "adam"), 2 + 3 * 2 + 3 * 2, 1e-9);
  EXPECT_NEAR(bytes(bf16, Optimizer::adamw, 1, "adam"), 2 + 3 * 2 + 3 * 2, 1e-9);
  EXPECT_NEAR(bytes(bf16_moments, Optimizer::adamw, 3, "adam"), 4 + 2 * (4 + 2 + 2), 1e-9);
  EXPECT_NEAR(bytes(bf16, Optimizer::adamw_foreach, 3, "adam"), 44, 1e-9);
  EXPECT_EQ(bytes(bf16, Optimizer::adamw, 1, "cast weights"), 0);
  EXPECT_NEAR(bytes(bf16_moments, Optimizer::adamw, 1, "cast weights"), 4 + 2, 1e-9);
  EXPECT_NEAR(bytes(bf16, Optimizer::adamw, 3, "gradient norm"), 2, 1e-9);
}

// At the measured size the measured time; the same table of another GPU changes nothing.
TEST(MemoryPasses, ThatTheGpuMeasuredTakeThatTime) {
  const Cluster cluster = small_cluster();
  const double moved = 28 * kSampleParameters / 8;
  Calibration table = roofline();
  table.name = "sample";
  table.gpu = cluster.gpu.name;
  table.passes[Pass::adam] = {{.moved_bytes = moved / 2, .seconds = 0.2},
                              {.moved_bytes = moved, .seconds = 0.3}};
  const auto passes = [&] {
    const Model model = sample_model();
    return passes_of(whole_step({cluster, model, table, {}}, scheme_named("sharded")));
  };
  const auto measured = passes();
  EXPECT_DOUBLE_EQ(measured.at("adam"), 0.3);
  table.gpu = "another";
  const auto estimated = passes();
  EXPECT_LT(estimated.at("adam"), 0.3);
  EXPECT_EQ(estimated.at("clip"), measured.at("clip"));
}

TEST(MemoryPasses, OfExchangesAreNoneOnOneGpu) {
  const auto passes =
      passes_of(plan(small_cluster(1, 1), sample_model(), {}, scheme_named("sdp4bit")));
  EXPECT_FALSE(passes.contains("scale gradients"));
  EXPECT_FALSE(passes.contains("copy weights"));
  EXPECT_TRUE(passes.contains("adam"));
}

TEST(CodecKernels, AreNoneOnOneGpu) {
  for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
    const Schedule schedule = plan(small_cluster(1, 1), sample_model(), defined(*scheme), *scheme);
    EXPECT_EQ(work_seconds(schedule, 0, Phase::encode), 0) << scheme->name;
    EXPECT_EQ(work_seconds(schedule, 0, Phase::decode), 0) << scheme->name;
  }
}

TEST(CodecKernels, OfSdp4bitTakeTheBytesThatTheyMoveOverTheMemoryBandwidth) {
  // 2 nodes of 4 GPUs, 8 slices. Wires of groups: a = 8 + 1/4 bits, b = 4 + 1/4, w = 4 + 1/64.
  const double n = kSampleParameters;
  const double a = 8.25 / 8;
  const double b = 4.25 / 8;
  const double w = (4 + 1.0 / 64) / 8;
  const double encode = n * (4 + a) + n / 8 * (2 + 2 + w);  // gradients; weights' difference
  // Of 4 wires for a quarter, one in the other format; of 2 wires for an eighth, values in FP32;
  // all differences are added to the BF16 weights.
  const double decode = n / 4 * (4 * a + b) + n / 8 * (2 * b + 4) + n * (w + 2 + 2);
  const Schedule schedule = plan(small_cluster(), sample_model(), {}, scheme_named("sdp4bit"));
  EXPECT_NEAR(work_seconds(schedule, 0, Phase::encode), encode / 2000e9, 1e-12);
  EXPECT_NEAR(work_seconds(schedule, 0, Phase::decode), decode / 2000e9, 1e-12);
}

class Buckets : public testing::TestWithParam<Bytes> {};

TEST_P(Buckets, HoldEachLayerOnceAndAllParameters) {
  for (const int stages : {1, 2}) {
    for (const Precision precision : {Precision::fp32, Precision::bf16}) {
      const Parallelism parallelism{.pipeline = stages,
                                    .gradients = precision,
                                    .overlap = {.gradients = true},
                                    .bucket = GetParam()};
      for (int stage = 0; stage < stages; ++stage) {
        int next = 0;
        double parameters = 0;
        for (const Bucket& bucket : buckets_of(deep_model(), parallelism, stage)) {
          EXPECT_EQ(bucket.first_place, next);
          EXPECT_GE(bucket.last_place, bucket.first_place);
          next = bucket.last_place + 1;
          parameters += bucket.parameters;
          const double bytes = bucket.parameters * bytes_of(precision);
          const bool one_layer = bucket.first_place == bucket.last_place;
          EXPECT_TRUE(one_layer || bytes <= static_cast<double>(GetParam().count));
        }
        EXPECT_EQ(next, 4 / stages);
        EXPECT_DOUBLE_EQ(parameters, stage_parameters(deep_model(), parallelism, stage).total());
      }
    }
  }
}

TEST_P(Buckets, SendWhatOneBucketSends) {
  for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
    const Schedule one = plan(small_cluster(), deep_model(), defined(*scheme), *scheme);
    const Parallelism split_up = defined(*scheme, {.overlap = kOverlapAll, .bucket = GetParam()});
    const Schedule many = plan(small_cluster(), deep_model(), split_up, *scheme);
    for (const Phase phase : {Phase::weight_comm, Phase::gradient_comm}) {
      if (split_up.sharding.stage == 0 && phase == Phase::weight_comm) continue;
      const SentBytes whole = sent_bytes(one, phase);
      const SentBytes split = sent_bytes(many, phase);
      // Padding of a shard's last group and of its wire's parts.
      EXPECT_NEAR(mean(split.intra_node) / mean(whole.intra_node), 1, 2e-3) << scheme->name;
      EXPECT_NEAR(mean(split.inter_node) / mean(whole.inter_node), 1, 2e-3) << scheme->name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Buckets, testing::Values(1_B, 12_MiB, 26_MiB, 1_GiB));

TEST(BucketsWithoutOverlap, AreOne) {
  EXPECT_EQ(buckets_of(deep_model(), {.bucket = 1_B}, 0).size(), 1U);
}

}  // namespace
}  // namespace sim
