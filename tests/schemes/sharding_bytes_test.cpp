// SPDX-License-Identifier: Apache-2.0
// What each rank sends under ZeRO-2 and 3, whole or hybrid, with tensor and pipeline parallelism.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/input_errors.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

const Scheme& plain_scheme() { return scheme_named("sharded"); }

// Four layers of 12 h^2 weights and two norms, and what stands around them: a vocabulary that is
// also the head, and the last norm. Eight ranks split each of these evenly.
constexpr double kHidden = 512;
constexpr double kLayers = 4;
constexpr double kLayer = 12 * kHidden * kHidden + 2 * kHidden;
constexpr double kWords = 1024 * kHidden;
constexpr double kRoot = kWords + kHidden;
constexpr double kRanks = 8;  // two nodes of four

struct Sent {
  double weights = 0, gradients = 0, weights_between = 0, gradients_between = 0;
};

// Of a mean rank; `between`: over NICs.
Sent sent_by(const Parallelism& parallelism, const Model& model = deep_model(),
             const Scheme& scheme = plain_scheme()) {
  Cluster cluster = small_cluster();
  cluster.gpu.fp8 = 800_TFLOPs;
  const Schedule schedule = plan(cluster, model, parallelism, scheme);
  const SentBytes weights = sent_bytes(schedule, Phase::weight_comm);
  const SentBytes gradients = sent_bytes(schedule, Phase::gradient_comm);
  return {.weights = mean(weights.intra_node) + mean(weights.inter_node),
          .gradients = mean(gradients.intra_node) + mean(gradients.inter_node),
          .weights_between = mean(weights.inter_node),
          .gradients_between = mean(gradients.inter_node)};
}

// A rank sends its shard to all other ranks, and as much in a reduction.
constexpr double part_of(double ranks) { return (ranks - 1) / ranks; }

TEST(Zero3, GathersLayersForwardAndBackwardAndTheRestOnceAndReducesAllOnceAMicroBatch) {
  for (const bool reshard : {true, false}) {
    for (const int micro_batches : {1, 3}) {
      for (const Precision precision : {Precision::fp32, Precision::bf16}) {
        const Sent sent = sent_by({.accumulation = micro_batches,
                                   .gradients = precision,
                                   .sharding = {.stage = 3, .reshard_after_forward = reshard}});
        // SHARD_GRAD_OP keeps the layers from the forward to the backward pass.
        const double gathers = reshard ? 2 : 1;
        EXPECT_DOUBLE_EQ(sent.weights, micro_batches * part_of(kRanks) * 2 *
                                           (gathers * kLayers * kLayer + kRoot));
        EXPECT_DOUBLE_EQ(sent.gradients, micro_batches * part_of(kRanks) * bytes_of(precision) *
                                             (kLayers * kLayer + kRoot));
      }
    }
  }
}

TEST(Zero3, SendsTheSameHoweverItsUnitsArePackedAndTimed) {
  const Sent one_by_one = sent_by({.accumulation = 2, .sharding = {.stage = 3}});
  for (const Overlap& overlap : {Overlap{}, kOverlapAll}) {
    for (const int layers : {1, 2, 3, 100}) {
      for (const int prefetch : {0, 1, 5}) {
        for (const bool post : {false, true}) {
          const Sent sent = sent_by({.accumulation = 2,
                                     .overlap = overlap,
                                     .sharding = {.stage = 3,
                                                  .unit_layers = layers,
                                                  .prefetch = prefetch,
                                                  .prefetch_after_backward = post}});
          EXPECT_DOUBLE_EQ(sent.weights, one_by_one.weights);
          EXPECT_DOUBLE_EQ(sent.gradients, one_by_one.gradients);
        }
      }
    }
  }
}

// PyTorch's no_sync: weights are gathered for each micro-batch as before.
TEST(Zero3, ReducesOnceAStepIfItIsAskedTo) {
  const Sent each = sent_by({.sharding = {.stage = 3}});
  for (const int micro_batches : {1, 2, 5}) {
    for (const Overlap& overlap : {Overlap{}, kOverlapAll}) {
      const Sent once = sent_by({.accumulation = micro_batches,
                                 .overlap = overlap,
                                 .sharding = {.stage = 3, .reduces_once = true}});
      EXPECT_DOUBLE_EQ(once.weights, micro_batches * each.weights);
      EXPECT_DOUBLE_EQ(once.gradients, each.gradients);
    }
  }
}

TEST(Zero3, GathersLayersInFp8InHalfTheBytesAndTheRestInBf16) {
  const Parallelism narrow{
      .matrices = MatrixPrecision::fp8, .gathers_matrices = true, .sharding = {.stage = 3}};
  const Sent sent = sent_by(narrow);
  EXPECT_DOUBLE_EQ(sent.weights, part_of(kRanks) * (2 * kLayers * kLayer * 1 + kRoot * 2));
  EXPECT_DOUBLE_EQ(sent.gradients, sent_by({.sharding = {.stage = 3}}).gradients);
}

TEST(Zero2, GathersOnceAStepAndReducesOnceAMicroBatch) {
  for (const int stage : {1, 2}) {
    for (const int micro_batches : {1, 3}) {
      for (const Overlap& overlap : {Overlap{}, kOverlapAll}) {
        const Sent sent = sent_by({.accumulation = micro_batches,
                                   .overlap = overlap,
                                   .bucket = 8_MiB,
                                   .sharding = {.stage = stage}});
        const double all = part_of(kRanks) * (kLayers * kLayer + kRoot);
        EXPECT_DOUBLE_EQ(sent.weights, 2 * all);
        EXPECT_DOUBLE_EQ(sent.gradients, 4 * all * (stage == 2 ? micro_batches : 1));
      }
    }
  }
}

TEST(HybridSharding, GathersAndReducesInsideGroupsAndAllReducesShardsBetweenThem) {
  for (const int micro_batches : {1, 3}) {
    for (const double group : {1.0, 2.0, 4.0, 8.0}) {
      const Sent sent = sent_by({.accumulation = micro_batches,
                                 .sharding = {.stage = 3, .ranks = static_cast<int>(group)}});
      const double all = kLayers * kLayer + kRoot;
      const double replicas = kRanks / group;
      EXPECT_DOUBLE_EQ(sent.weights,
                       micro_batches * part_of(group) * 2 * (2 * kLayers * kLayer + kRoot));
      EXPECT_DOUBLE_EQ(sent.gradients,
                       micro_batches * 4 * all * (part_of(group) + 2 * part_of(replicas) / group));
    }
  }
}

TEST(HybridSharding, OverNodesSendsNothingBetweenThemButTheAllReduce) {
  const Sent sent = sent_by({.accumulation = 3, .sharding = {.stage = 3, .ranks = 4}});
  EXPECT_EQ(sent.weights_between, 0);
  // Two replicas of each quarter: 2 (r-1)/r of it.
  EXPECT_DOUBLE_EQ(sent.gradients_between, 3 * 2 * part_of(2) * 4 * (kLayers * kLayer + kRoot) / 4);
}

// Each tensor-parallel place has its share of every matrix and all of the norms.
TEST(Zero3, OfTensorParallelRanksSendsTheirShares) {
  for (const double tensor : {2.0, 4.0}) {
    const Sent sent = sent_by({.tensor = static_cast<int>(tensor), .sharding = {.stage = 3}});
    const double layer = 12 * kHidden * kHidden / tensor + 2 * kHidden;
    const double root = kWords / tensor + kHidden;
    const double part = part_of(kRanks / tensor);
    EXPECT_DOUBLE_EQ(sent.weights, part * 2 * (2 * kLayers * layer + root));
    EXPECT_DOUBLE_EQ(sent.gradients, part * 4 * (kLayers * layer + root));
  }
}

TEST(Zero3, OfPipelineStagesSendsTheirLayersAndTheEndThatTheyHave) {
  Model model = deep_model();
  model.tied_embeddings = false;
  const double layers = kLayers / 2;
  for (const int chunks : {1, 2}) {
    for (const int micro_batches : {1, 4}) {
      const Sent sent = sent_by({.pipeline = 2,
                                 .virtual_stages = chunks,
                                 .accumulation = micro_batches,
                                 .sharding = {.stage = 3}},
                                model);
      // The first stage runs ahead: its embedding, once gathered, serves all micro-batches that
      // come before it is dropped, after the first backward pass that ends there. 1F1B gathers for
      // 0 and 1, for 2, and for 3; two chunks are all through by then.
      const double embedding_gathers = micro_batches == 1 || chunks == 2 ? 1 : 3;
      const double ends = (embedding_gathers * kWords + micro_batches * (kWords + kHidden)) / 2;
      const double mean_weights = micro_batches * 2 * layers * kLayer + ends;
      EXPECT_DOUBLE_EQ(sent.weights, part_of(4) * 2 * mean_weights) << chunks;
      EXPECT_DOUBLE_EQ(sent.gradients,
                       part_of(4) * 4 * micro_batches * (layers * kLayer + kWords + kHidden / 2))
          << chunks;
    }
  }
}

// Bytes of each collective of a phase on one node, in order.
std::vector<double> collectives_of(const Schedule& schedule, Phase phase) {
  std::vector<double> bytes;
  for (const Operation& one : schedule.operations) {
    if (one.kind != OperationKind::flow || one.phase != phase) continue;
    bytes.push_back(0);
    for (const Hop& hop : schedule.routes[one.route].hops) bytes.back() += one.bytes * hop.times;
  }
  return bytes;
}

TEST(Zero3, SendsUnitByUnitAsTheyAreUsedAndReducesThemBackwards) {
  const Schedule schedule =
      plan(small_cluster(1, 4), deep_model(),
           {.overlap = kOverlapAll, .sharding = {.stage = 3, .unit_layers = 3}}, plain_scheme());
  // Units of 3 layers and of 1. All four ranks send 3/4 of each.
  const double root = 3 * 2 * kRoot, first = 3 * 2 * 3 * kLayer, last = 3 * 2 * kLayer;
  EXPECT_EQ(collectives_of(schedule, Phase::weight_comm),
            (std::vector<double>{root, first, last, last, first}));
  EXPECT_EQ(collectives_of(schedule, Phase::gradient_comm),
            (std::vector<double>{2 * last, 2 * first, 2 * root}));
}

class ShardedWeights : public EveryScheme {};

TEST_P(ShardedWeights, AreRefusedToSchemesOfOtherStagesAndElseReduceAsBefore) {
  const auto sent = [&](int stage) {
    return sent_by({.sharding = {.stage = stage}}, deep_model(), scheme()).gradients;
  };
  const double usual = sent(scheme().zero.front());
  for (const int stage : {0, 1, 2, 3}) {
    if (scheme().is_defined_for(stage)) {
      // Padding of each unit's last groups.
      EXPECT_NEAR(sent(stage) / usual, 1, 2e-3);
      continue;
    }
    const std::string error = input_error_of([&] { static_cast<void>(sent(stage)); });
    EXPECT_TRUE(error.starts_with("`zero`: " + scheme().name + " is defined for ")) << error;
    EXPECT_NE(error.find("choose `zero` " + std::to_string(scheme().zero.front())),
              std::string::npos)
        << error;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, ShardedWeights, testing::ValuesIn(scheme_rows()), scheme_label);

class HybridShards : public EveryScheme {};

TEST_P(HybridShards, AreReducedByRingsAlone) {
  const Parallelism hybrid{.sharding = {.stage = 3, .ranks = 4}};
  const std::string error =
      input_error_of([&] { static_cast<void>(sent_by(hybrid, deep_model(), scheme())); });
  const bool ring =
      scheme().gradients.algorithm == &reductions::ring && !scheme().weights.secondary_shards;
  EXPECT_EQ(error, ring ? ""
                        : "`hybrid-shard`: " + scheme().name +
                              " has no exchange between groups of replicas; choose `scheme` "
                              "sharded");
}

INSTANTIATE_TEST_SUITE_P(Schemes, HybridShards,
                         testing::ValuesIn(scheme_rows([](const Scheme& one) {
                           return one.is_defined_for(3);
                         })),
                         scheme_label);

}  // namespace
}  // namespace sim
