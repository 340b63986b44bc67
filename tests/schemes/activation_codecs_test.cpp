// SPDX-License-Identifier: Apache-2.0
// Codecs that a scheme names for what tensor-parallel ranks and pipeline stages send each other.
#include <gtest/gtest.h>

#include "sim/schemes/rows.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

Scheme with_codecs(const char* tensor, const char* pipeline) {
  Scheme scheme = scheme_named("sharded");
  scheme.activations = {.tensor = wire(tensor), .pipeline = wire(pipeline)};
  return scheme;
}

double sent(const Schedule& schedule, Phase phase) {
  const SentBytes bytes = sent_bytes(schedule, phase);
  return mean(bytes.intra_node) + mean(bytes.inter_node);
}

const Parallelism kTensor{.tensor = 4, .micro_batch = 2};
const Parallelism kPipeline{.pipeline = 2, .micro_batch = 2, .accumulation = 4};

// An all_to_all and an all_gather send what an all_reduce does, of fewer bits. What sequence
// parallelism gathers once more of each block has no codec.
TEST(TensorCodecs, SendTheAllReduceInTheCodecsBits) {
  for (const bool sequence_parallel : {false, true}) {
    Parallelism parallelism = kTensor;
    parallelism.sequence_parallel = sequence_parallel;
    const double plain =
        sent(plan(small_cluster(), deep_model(), parallelism, with_codecs("bf16", "bf16")),
             Phase::tensor_comm);
    const double coded =
        sent(plan(small_cluster(), deep_model(), parallelism, with_codecs("int8_g128", "bf16")),
             Phase::tensor_comm);
    const double gathers =
        sequence_parallel ? 2 : 0;  // beside a scatter and a gather of 4 exchanges
    EXPECT_NEAR(coded / plain, (8 * 8.25 / 16 + gathers) / (8 + gathers), 1e-6);
  }
}

TEST(TensorCodecs, AreLaunchedForEachExchangeOfALayer) {
  const Schedule schedule =
      plan(small_cluster(), deep_model(), kTensor, with_codecs("int8_g128", "bf16"));
  int encodes = 0;
  for (const Operation& one : schedule.operations) {
    if (one.kind != OperationKind::work || one.rank != 0) continue;
    EXPECT_EQ(one.stream == Stream::tensor_codec,
              one.phase == Phase::encode || one.phase == Phase::decode);
    encodes += one.phase == Phase::encode ? 1 : 0;
  }
  EXPECT_EQ(encodes, 4 * deep_model().layers);
}

TEST(TensorCodecs, PayOnSlowLinksAndCostOnFastOnes) {
  const auto speedup = [](double factor) {
    Cluster cluster = small_cluster();
    cluster.nvlink.bandwidth = cluster.nvlink.bandwidth * factor;
    return step_time(cluster, deep_model(), kTensor, with_codecs("bf16", "bf16")) /
           step_time(cluster, deep_model(), kTensor, with_codecs("int4_g128", "bf16"));
  };
  EXPECT_GT(speedup(0.01), 1.5);
  EXPECT_LT(speedup(100), 1);
}

// Without overlap each exchange delays the step by its own kernels and flows.
TEST(TensorCodecs, StandInTheWayOfTheNextBlock) {
  const Cluster cluster = small_cluster();
  const auto parts = [&](const Scheme& scheme) {
    const Schedule schedule = plan(cluster, deep_model(), kTensor, scheme);
    return work_seconds(schedule, 0, [](const Operation&) { return true; });
  };
  const Scheme coded = with_codecs("int8_g128", "bf16");
  EXPECT_GE(step_time(cluster, deep_model(), kTensor, coded), parts(coded));
  EXPECT_GT(parts(coded), parts(scheme_named("sharded")));
}

TEST(PipelineCodecs, SendActivationsAndTheirGradientsInTheCodecsBits) {
  const auto bytes = [](const Scheme& scheme) {
    return sent(plan(small_cluster(), deep_model(), kPipeline, scheme), Phase::pipeline_comm);
  };
  // What the tied embedding's stages sum is not of the codec.
  Parallelism untied = kPipeline;
  Model model = deep_model();
  model.tied_embeddings = false;
  const auto of_untied = [&](const Scheme& scheme) {
    return sent(plan(small_cluster(), model, untied, scheme), Phase::pipeline_comm);
  };
  EXPECT_NEAR(of_untied(with_codecs("bf16", "int4_g128")) / of_untied(with_codecs("bf16", "bf16")),
              4.25 / 16, 1e-6);
  EXPECT_LT(bytes(with_codecs("bf16", "int4_g128")), bytes(with_codecs("bf16", "bf16")));
}

TEST(PipelineCodecs, EncodeWhatLeavesAndDecodeWhatArrives) {
  const Schedule schedule =
      plan(small_cluster(), deep_model(), kPipeline, with_codecs("bf16", "int4_g128"));
  const auto kernels = [&](int rank, Phase phase) {
    int count = 0;
    for (const Operation& one : schedule.operations) {
      const bool counts = one.kind == OperationKind::work && one.rank == rank;
      count += counts && one.phase == phase ? 1 : 0;
    }
    return count;
  };
  // Of two stages and four micro-batches the first sends activations, the last their gradients.
  for (const int rank : {0, 7}) {
    EXPECT_EQ(kernels(rank, Phase::encode), 4);
    EXPECT_EQ(kernels(rank, Phase::decode), 4);
  }
}

TEST(ActivationCodecs, ChangeNothingWhereNothingIsSent) {
  const Scheme coded = with_codecs("int8_g128", "int4_g128");
  EXPECT_EQ(step_time(small_cluster(), deep_model(), {}, coded),
            step_time(small_cluster(), deep_model(), {}, scheme_named("sharded")));
}

}  // namespace
}  // namespace sim
