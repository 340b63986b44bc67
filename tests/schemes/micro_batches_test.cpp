// SPDX-License-Identifier: Apache-2.0
// The passes of a step: what the pipeline, accumulation, recomputation and tensor parallelism do to
// compute and to bytes.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/times/roofline.hpp"
#include "sim/workload/parallelism_names.hpp"
#include "sim/workload/stacks.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

const Scheme& uncompressed() { return scheme_named("sharded"); }

// Links, memory and fixed times that cost nothing: what is left is matrix products.
Cluster free_communication(int gpus) {
  Cluster cluster = without_fixed_times(small_cluster(1, gpus));
  cluster.nvlink.bandwidth = cluster.gpu.memory_bandwidth = Bandwidth::from_base(1e21);
  cluster.gpu.fp32 = FlopRate::from_base(1e30);
  return cluster;
}

// Untied, so that no sum of embeddings joins the stages.
Model pipeline_model() {
  Model model = sample_model();
  model.layers = 8;
  model.tied_embeddings = false;
  return model;
}

// Seconds of the forward and backward kernels of one micro-batch.
struct PassTimes {
  double stage = 0;  // the layers of one stage
  double ends = 0;   // embedding, and head of the last stage
};

PassTimes pass_times(const Cluster& cluster, const Model& model, const Parallelism& parallelism) {
  const Calibration calibration = roofline();
  const Roofline time(cluster.gpu, compute_efficiency(cluster), calibration);
  const LayerOperators layer = layer_operators(model, parallelism);
  const EndOperators ends = end_operators(model, parallelism);
  double one_layer = time.block(layer.recompute).seconds;
  for (const Segments* pass : {&layer.forward, &layer.backward}) {
    for (const Segment& one : *pass) {
      one_layer += time.block(one.kernels).seconds + time.block(one.beside).seconds;
    }
  }
  double around = 0;
  for (const Operators* block :
       {&ends.embedding, &ends.embedding_backward, &ends.head, &ends.head_backward}) {
    around += time.block(*block).seconds;
  }
  return {one_layer * model.layers / parallelism.pipeline, around};
}

TEST(Pipeline, OneForwardOneBackwardTakesMicroBatchesPlusStagesLessOne) {
  // p stages of t per micro-batch: (m + p - 1) t, where the ideal is m t. The head makes the last
  // stage longer, and each of its m turns with it.
  for (const int stages : {1, 2, 4, 8}) {
    const Cluster cluster = free_communication(stages);
    for (const int micro_batches : {1, 2, 3, 8}) {
      const Parallelism parallelism{.pipeline = stages, .accumulation = micro_batches};
      const PassTimes times = pass_times(cluster, pipeline_model(), parallelism);
      const double expected =
          (micro_batches + stages - 1) * times.stage + micro_batches * times.ends;
      EXPECT_NEAR(step_time(cluster, pipeline_model(), parallelism, uncompressed()) / expected, 1,
                  1e-6)
          << stages << " stages, " << micro_batches << " micro-batches";
    }
  }
}

// Narayanan et al. 2104.04473, section 2.3: with v chunks a stage, the pipeline fills and drains by
// passes of 1/v of a stage's layers, (p - 1) t / v in place of (p - 1) t. With fewer micro-batches
// than stages, the first one crosses the whole pipeline alone, p t, and each other one is t / v
// behind.
TEST(Pipeline, InterleavingDividesTheBubbleByTheChunks) {
  struct {
    int stages, chunks;
  } constexpr kRows[] = {{2, 2}, {2, 4}, {4, 2}};
  for (const auto& [stages, chunks] : kRows) {
    const Cluster cluster = free_communication(stages);
    for (const int micro_batches : {1, 2, 3, 4, 5, 7, 8, 9}) {
      const Parallelism parallelism{
          .pipeline = stages, .virtual_stages = chunks, .accumulation = micro_batches};
      const PassTimes times = pass_times(cluster, pipeline_model(), parallelism);
      const double turns =
          std::max(micro_batches, stages) + (std::min(micro_batches, stages) - 1.0) / chunks;
      const double expected = turns * times.stage + micro_batches * times.ends;
      EXPECT_NEAR(step_time(cluster, pipeline_model(), parallelism, uncompressed()) / expected, 1,
                  1e-6)
          << stages << " stages x " << chunks << ", " << micro_batches << " micro-batches";
    }
  }
}

double sent_by_all(const Schedule& schedule, Phase phase) {
  const SentBytes sent = sent_bytes(schedule, phase);
  return static_cast<double>(schedule.ranks) * (mean(sent.intra_node) + mean(sent.inter_node));
}

// Schemes that do not gather and reduce in every micro-batch, as those of stage 3 do.
class Accumulation : public EveryScheme {};

TEST_P(Accumulation, MultipliesComputeAndNoExchangeOfGradientsOrWeights) {
  const Cluster cluster = small_cluster();
  for (const Overlap& overlap : {Overlap{}, kOverlapAll}) {
    const auto planned = [&](int accumulation) {
      const Parallelism parallelism{.tensor = 2, .accumulation = accumulation, .overlap = overlap};
      return plan(cluster, deep_model(), defined(scheme(), parallelism), scheme());
    };
    const Schedule once = planned(1);
    const Schedule thrice = planned(3);
    for (const Phase phase : {Phase::forward, Phase::backward, Phase::recompute}) {
      EXPECT_NEAR(work_seconds(thrice, 0, phase) / work_seconds(once, 0, phase), 3, 1e-9);
    }
    for (const Phase phase : {Phase::encode, Phase::decode, Phase::optimizer}) {
      EXPECT_EQ(work_seconds(thrice, 0, phase), work_seconds(once, 0, phase));
    }
    for (const Phase phase : {Phase::weight_comm, Phase::gradient_comm}) {
      EXPECT_EQ(sent_by_all(thrice, phase), sent_by_all(once, phase));
    }
    EXPECT_NEAR(sent_by_all(thrice, Phase::tensor_comm) / sent_by_all(once, Phase::tensor_comm), 3,
                1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, Accumulation,
                         testing::ValuesIn(scheme_rows([](const Scheme& one) {
                           return defined(one).sharding.stage != 3;
                         })),
                         scheme_label);

TEST(Recomputation, InFullAddsTheForwardPassOfEveryLayer) {
  const Cluster cluster = small_cluster();
  Parallelism parallelism{.tensor = 2, .recompute = Recompute::none};
  const Schedule without = plan(cluster, deep_model(), parallelism, uncompressed());
  EXPECT_EQ(work_seconds(without, 0, Phase::recompute), 0);
  parallelism.recompute = Recompute::full;
  const Schedule full = plan(cluster, deep_model(), parallelism, uncompressed());
  // All of the forward pass but embedding and head.
  const double layers = work_seconds(full, 0, [&](const Operation& one) {
    return one.phase == Phase::forward && full.labels[one.label].starts_with("layer");
  });
  EXPECT_NEAR(work_seconds(full, 0, Phase::recompute) / layers, 1, 1e-9);
  EXPECT_EQ(work_seconds(full, 0, Phase::backward), work_seconds(without, 0, Phase::backward));
  // Of two collectives forward and two backward in each layer, the first two come again.
  EXPECT_NEAR(sent_by_all(full, Phase::tensor_comm) / sent_by_all(without, Phase::tensor_comm),
              6.0 / 4, 1e-9);
}

TEST(Recomputation, LeavesOutTheExchangeOfWhatNothingReads) {
  const Cluster cluster = small_cluster();
  const auto sent = [&](const Parallelism& parallelism) {
    return sent_by_all(plan(cluster, deep_model(), parallelism, uncompressed()),
                       Phase::tensor_comm);
  };
  const double without = sent({.tensor = 2, .recompute = Recompute::none});
  // Of two collectives forward and two backward in each layer, the first alone comes again.
  EXPECT_NEAR(sent({.tensor = 2, .recompute = Recompute::projections}) / without, 5.0 / 4, 1e-9);
  EXPECT_NEAR(
      sent({.tensor = 2, .recompute = Recompute::full, .stack = &stacks::torch_compile}) / without,
      5.0 / 4, 1e-9);
}

TEST(Recomputation, SelectiveIsTheUnfusedAttentionCoreAlone) {
  const Cluster cluster = small_cluster();
  Parallelism parallelism{.recompute = Recompute::selective, .attention = Attention::fused};
  const Schedule fused = plan(cluster, deep_model(), parallelism, uncompressed());
  EXPECT_EQ(work_seconds(fused, 0, Phase::recompute), 0);  // it keeps no scores to compute again
  parallelism.attention = Attention::unfused;
  const Schedule selective = plan(cluster, deep_model(), parallelism, uncompressed());
  parallelism.recompute = Recompute::full;
  const Schedule full = plan(cluster, deep_model(), parallelism, uncompressed());
  EXPECT_GT(work_seconds(selective, 0, Phase::recompute), 0);
  EXPECT_LT(work_seconds(selective, 0, Phase::recompute), work_seconds(full, 0, Phase::recompute));
}

TEST(TensorParallelism, SendsTwoAllReducesOfTheActivationsALayerAndPass) {
  // 4 layers, 2 passes, 2 all_reduces of 2(t-1)/t of 2 bytes a value.
  const double activations = 2.0 * 128 * 512;
  for (const int tensor : {1, 2, 4}) {
    const Schedule schedule =
        plan(small_cluster(), deep_model(), {.tensor = tensor}, uncompressed());
    const double each = 4 * 2 * 2 * 2.0 * (tensor - 1) / tensor * activations;
    EXPECT_DOUBLE_EQ(sent_by_all(schedule, Phase::tensor_comm), schedule.ranks * each);
  }
}

TEST(TensorParallelism, WithSequenceParallelismGathersInputsAgainInTheBackwardPass) {
  // In gathers or scatters of the activations, 2 bytes a value, a layer: two of each, both ways, and
  // what is recomputed; Megatron's products keep a rank's part of their input, those of PyTorch what
  // was gathered.
  struct Case {
    const Stack* stack;
    Recompute recompute;
    double sent;
  };
  const double whole = 3.0 / 4 * 2 * 128 * 512;
  for (const auto& [stack, recompute, sent] :
       {Case{nullptr, Recompute::none, 8 + 2}, Case{&stacks::megatron, Recompute::selective, 8 + 2},
        Case{&stacks::nemo, Recompute::full, 8 + 4 + 2},
        Case{&stacks::torch_eager, Recompute::none, 8},
        Case{&stacks::torch_compile, Recompute::selective, 8},
        Case{&stacks::torch_compile, Recompute::alternate, 8 + 2},
        Case{&stacks::torch_compile, Recompute::full, 8 + 3}}) {
    for (const bool overlap : {false, true}) {
      Parallelism parallelism{.tensor = 4,
                              .sequence_parallel = true,
                              .recompute = recompute,
                              .attention = Attention::fused,
                              .overlap = {.tensor = overlap},
                              .stack = stack};
      const Schedule split = plan(small_cluster(), deep_model(), parallelism, uncompressed());
      EXPECT_NEAR(sent_by_all(split, Phase::tensor_comm) / (split.ranks * 4 * whole), sent, 1e-9);
      parallelism.sequence_parallel = false;
      const Schedule all = plan(small_cluster(), deep_model(), parallelism, uncompressed());
      // Norms and residuals see a part of the tokens alone. Async TP's parts are too small here to gain.
      if (overlap && stack != nullptr && stack->dtensor) continue;
      EXPECT_LT(work_seconds(split, 0, Phase::forward), work_seconds(all, 0, Phase::forward));
    }
  }
}

TEST(Pipeline, SendsActivationsForwardAndTheirGradientsBackOverEveryBorderOfItsChunks) {
  // Each of 3 micro-batches crosses the borders of 4 stages of 1 or 2 chunks, both ways, 2 bytes a
  // value.
  const double activations = 2.0 * 128 * 512;
  for (const int chunks : {1, 2}) {
    const Parallelism parallelism{.pipeline = 4, .virtual_stages = chunks, .accumulation = 3};
    const Schedule schedule =
        plan(small_cluster(1, 4), pipeline_model(), parallelism, uncompressed());
    EXPECT_DOUBLE_EQ(sent_by_all(schedule, Phase::pipeline_comm),
                     3 * (4 * chunks - 1) * 2 * activations);
  }
}

// Wherever its groups lie, a job sends as much.
TEST(Placement, MovesBytesBetweenLinksAndAddsNone) {
  Parallelism p{.tensor = 2, .pipeline = 2, .accumulation = 2, .sharding = {.stage = 3}};
  const Schedule usual = plan(small_cluster(), deep_model(), p, uncompressed());
  for (const Placement& placement : all_placements()) {
    p.placement = placement;
    const Schedule other = plan(small_cluster(), deep_model(), p, uncompressed());
    for (const Phase phase : {Phase::tensor_comm, Phase::weight_comm, Phase::gradient_comm}) {
      EXPECT_NEAR(sent_by_all(other, phase) / sent_by_all(usual, phase), 1, 1e-12);
    }
    EXPECT_EQ(simulate(other, small_cluster()).outcome, Outcome::complete);
  }
}

TEST(PipelineOverlap, IsNeverSlowerThanStagesThatWaitForWhatTheySend) {
  Cluster cluster = without_fixed_times(small_cluster(4, 1));
  cluster.network.nic_bandwidth = 5_GBps;
  for (const int chunks : {1, 2}) {
    Parallelism p{.pipeline = 4, .virtual_stages = chunks, .accumulation = 8};
    const double waits = step_time(cluster, pipeline_model(), p, uncompressed());
    p.overlap.pipeline = true;
    EXPECT_LT(step_time(cluster, pipeline_model(), p, uncompressed()), waits) << chunks;
  }
}

}  // namespace
}  // namespace sim
