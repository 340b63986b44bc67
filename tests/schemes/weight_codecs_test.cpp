// SPDX-License-Identifier: Apache-2.0
// Weights that products take as they come, that are decoded, and that nodes keep for themselves.
#include <gtest/gtest.h>

#include "sim/schemes/kernels.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

Cluster blackwell() {
  Cluster cluster = small_cluster();
  cluster.gpu.fp8 = 800_TFLOPs;
  cluster.gpu.fp4 = 1600_TFLOPs;
  return cluster;
}

Schedule planned(const char* scheme, MatrixPrecision matrices, Sharding sharding) {
  const Parallelism parallelism{.matrices = matrices, .sharding = sharding};
  return plan(blackwell(), deep_model(), parallelism, scheme_named(scheme));
}

double sent_of_weights(const char* scheme, MatrixPrecision matrices, Sharding sharding) {
  const SentBytes sent = sent_bytes(planned(scheme, matrices, sharding), Phase::weight_comm);
  return mean(sent.intra_node) + mean(sent.inter_node);
}

struct Pair {
  const char* scheme;
  MatrixPrecision precision;
};
constexpr Pair kTaken[]{{"fp8_gather", MatrixPrecision::fp8},
                        {"mxfp8_gather", MatrixPrecision::mxfp8},
                        {"nvfp4_gather", MatrixPrecision::nvfp4}};

TEST(WeightCodecs, AreDecodedUnlessTheProductsTakeThem) {
  for (const Pair& row : kTaken) {
    for (const MatrixPrecision precision : {MatrixPrecision::bf16, MatrixPrecision::fp8,
                                            MatrixPrecision::mxfp8, MatrixPrecision::nvfp4}) {
      for (const int stage : {1, 2, 3}) {
        const Schedule schedule = planned(row.scheme, precision, {.stage = stage});
        EXPECT_GT(work_seconds(schedule, 0, Phase::encode), 0) << row.scheme;
        EXPECT_EQ(work_seconds(schedule, 0, Phase::decode) == 0, precision == row.precision)
            << row.scheme << " at stage " << stage;
      }
    }
  }
}

// MXFP8 scales 32 elements of a row or of a column: who keeps weights for the forward and for the
// backward pass gets both. FP8's and NVFP4's scales do for both.
TEST(WeightCodecs, OfMxfp8TravelTwiceToWhoKeepsThemForBothPasses) {
  const auto ratio = [](const Pair& row, Sharding sharding) {
    return sent_of_weights(row.scheme, row.precision, sharding) /
           sent_of_weights(row.scheme, MatrixPrecision::bf16, sharding);
  };
  for (const int stage : {1, 2}) {
    EXPECT_NEAR(ratio(kTaken[0], {.stage = stage}), 1, 1e-9);
    EXPECT_NEAR(ratio(kTaken[1], {.stage = stage}), 2, 1e-9);
    EXPECT_NEAR(ratio(kTaken[2], {.stage = stage}), 1, 1e-9);
  }
  // More than BF16's 16 bits.
  EXPECT_NEAR(sent_of_weights("mxfp8_gather", MatrixPrecision::mxfp8, {.stage = 1}) /
                  sent_of_weights("sharded", MatrixPrecision::mxfp8, {.stage = 1}),
              2 * 8.25 / 16, 1e-3);
}

TEST(WeightCodecs, OfZero3AreOfLayersAloneWhereTheProductsTakeThem) {
  // Forward and backward the layers' codes; embedding and head once, in BF16.
  const double layers = stage_parameters(deep_model(), {}, 0).layers;
  const double ends = stage_parameters(deep_model(), {}, 0).total() - layers;
  for (const auto& [row, bits] :
       {std::pair{kTaken[0], 8.0}, std::pair{kTaken[1], 8.25}, std::pair{kTaken[2], 4.5}}) {
    EXPECT_NEAR(sent_of_weights(row.scheme, row.precision, {.stage = 3}),
                7.0 / 8 * (2 * layers * bits / 8 + 2 * ends), 7.0 / 8 * layers * 1e-3);
  }
}

TEST(SecondaryShards, AreGatheredInsideNodesBackward) {
  const SentBytes sent =
      sent_bytes(planned("hpz", MatrixPrecision::bf16, {.stage = 3}), Phase::weight_comm);
  const SentBytes plain =
      sent_bytes(planned("sharded", MatrixPrecision::bf16, {.stage = 3}), Phase::weight_comm);
  const double layers = stage_parameters(deep_model(), {}, 0).layers;
  // A ring over two nodes of four leaves a node with every fourth hop.
  EXPECT_NEAR(mean(plain.inter_node) - mean(sent.inter_node), 7.0 / 8 * 2 * layers / 4, 1);
  EXPECT_NEAR(mean(sent.intra_node) - mean(plain.intra_node),
              3.0 / 4 * 2 * layers - 7.0 / 8 * 2 * layers * 3 / 4, 1);
}

TEST(SecondaryShards, ChangeNothingOnOneNode) {
  const Parallelism parallelism{.sharding = {.stage = 3}};
  EXPECT_EQ(step_time(small_cluster(1, 8), deep_model(), parallelism, scheme_named("hpz")),
            step_time(small_cluster(1, 8), deep_model(), parallelism, scheme_named("sharded")));
}

TEST(SecondaryShards, WaitForTheComputeStreamWithoutOverlap) {
  const Parallelism serial{.sharding = {.stage = 3}};
  const Schedule schedule = plan(small_cluster(), deep_model(), serial, scheme_named("hpz"));
  const Timeline timeline = simulate(schedule, small_cluster());
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    const Operation& gather = schedule.operations[id];
    if (gather.kind != OperationKind::member || gather.phase != Phase::weight_comm) continue;
    for (std::size_t other = 0; other < schedule.operations.size(); ++other) {
      const Operation& kernel = schedule.operations[other];
      if (kernel.kind != OperationKind::work || kernel.rank != gather.rank) continue;
      if (kernel.phase != Phase::forward && kernel.phase != Phase::backward) continue;
      EXPECT_TRUE(timeline.end_s[other] <= timeline.start_s[id] ||
                  timeline.start_s[other] >= timeline.end_s[id]);
    }
  }
}

TEST(Schemes, ThatSayWhatWeightsTravelAsRefuseAnotherPrecision) {
  const Parallelism twice{
      .matrices = MatrixPrecision::fp8, .gathers_matrices = true, .sharding = {.stage = 3}};
  EXPECT_ANY_THROW(static_cast<void>(plan(blackwell(), deep_model(), twice, scheme_named("qwz"))));
}

}  // namespace
}  // namespace sim
