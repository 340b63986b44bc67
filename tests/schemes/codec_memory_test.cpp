// SPDX-License-Identifier: Apache-2.0
// What schemes keep in memory, as their papers count it, in bytes a parameter.
#include <gtest/gtest.h>

#include <utility>

#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

CodecMemory memory_of(const char* scheme, int nodes = 2, int gpus = 4) {
  const Cluster cluster = small_cluster(nodes, gpus);
  const Model model = sample_model();
  const Calibration calibration = roofline();
  const Scheme& row = scheme_named(scheme);
  return codec_memory({cluster, model, calibration, defined(row, {.sharding = {.stage = 3}})}, row);
}

TEST(CodecState, OfErrorFeedbackIsAResidualOfEachEncode) {
  // EF-SGD keeps 4 bytes of what a rank encodes, and of sums that it encodes again.
  EXPECT_DOUBLE_EQ(memory_of("top_k").state, 4);
  EXPECT_DOUBLE_EQ(memory_of("random_k").state, 4);
  EXPECT_DOUBLE_EQ(memory_of("ef_sign").state, 4 + 4.0 / 8);
  EXPECT_DOUBLE_EQ(memory_of("one_bit_adam").state, 4 + 4.0 / 8);
  // LoCo in INT8, at both hops: 1 + 1/M of M GPUs a node.
  EXPECT_DOUBLE_EQ(memory_of("loco").state, 1 + 1.0 / 4);
  EXPECT_DOUBLE_EQ(memory_of("loco", 8, 1).state, 1);
}

TEST(CodecState, OfPowerSgdIsAResidualAndItsFactors) {
  const double h = 512;
  const double sides = 2 * (4 * (h + h) + 2 * (4 * h + h)) + (1019 + h);
  EXPECT_NEAR(memory_of("power_sgd").state, 4 + 4 * 4 * sides / kSampleParameters, 1e-9);
}

TEST(CodecState, OfSecondaryShardsIsTheModelOverTheGpusOfANode) {
  EXPECT_DOUBLE_EQ(memory_of("hpz").state, 2.0 / 4);
  EXPECT_DOUBLE_EQ(memory_of("zeropp", 4, 8).state, 2.0 / 8);
  EXPECT_DOUBLE_EQ(memory_of("hpz", 1, 8).state, 0);
}

TEST(CodecState, IsNoneWithoutFeedback) {
  for (const char* scheme : {"sharded", "sdp4bit", "qwz", "qgz", "qsdp", "int8_all_reduce"}) {
    EXPECT_EQ(memory_of(scheme).state, 0) << scheme;
  }
}

TEST(CodecBuffers, AreTheWiresThatLeaveAndArrive) {
  EXPECT_EQ(memory_of("sharded").buffers, 0);
  EXPECT_DOUBLE_EQ(memory_of("qwz").buffers, (8 + 32.0 / 2048) / 8);
  EXPECT_DOUBLE_EQ(memory_of("qgz").buffers, 2 * (4 + 32.0 / 2048) / 8);
  // Those of all 8 ranks, its own among them.
  EXPECT_DOUBLE_EQ(memory_of("top_k").buffers, 8 * 64.0 / 4096 * (32 + 12) / 8);
}

TEST(CodecBuffers, TakeAsMuchOfAParameterWhateverTheNumberOfRanks) {
  // Numbers of ranks that divide no power of two, so that a share would have to be rounded up.
  for (const auto& [nodes, gpus] : {std::pair{3, 2}, std::pair{5, 3}, std::pair{7, 1}}) {
    EXPECT_DOUBLE_EQ(memory_of("qwz", nodes, gpus).buffers, (8 + 32.0 / 2048) / 8);
    EXPECT_DOUBLE_EQ(memory_of("qgz", nodes, gpus).buffers, 2 * (4 + 32.0 / 2048) / 8);
  }
}

TEST(CodecMemory, IsCountedInAStepsMemory) {
  const Cluster cluster = small_cluster();
  const double n = kSampleParameters;
  const MemoryUse use =
      memory_use(cluster, sample_model(), {.sharding = {.stage = 0}}, memory_of("one_bit_adam"));
  EXPECT_NEAR(use.codec, n * (4.5 + 2.0 / 8), n * 0.01);
  EXPECT_DOUBLE_EQ(use.optimizer, 12 * n);  // nothing is sharded
}

}  // namespace
}  // namespace sim
