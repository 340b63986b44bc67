// SPDX-License-Identifier: Apache-2.0
// What each paper says that its scheme sends, against a step of it.
#include <gtest/gtest.h>

#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

// Layers enough that embedding and head, which ZeRO-3 gathers once, hardly count.
Model tall_model() {
  Model model = sample_model();
  model.layers = 96;
  model.vocabulary = 512;
  return model;
}

double parameters(const Model& model) { return stage_parameters(model, {}, 0).total(); }

constexpr int kNodes = 8;
constexpr int kGpus = 4;

// Bytes that a node sends to others.
double between_nodes(const char* scheme, Phase phase) {
  const Parallelism parallelism =
      defined(scheme_named(scheme), {.gradients = Precision::bf16, .sharding = {.stage = 3}});
  const SentBytes sent = sent_bytes(
      plan(small_cluster(kNodes, kGpus), tall_model(), parallelism, scheme_named(scheme)), phase);
  return mean(sent.inter_node) * kGpus;
}

// ZeRO++ (arXiv 2306.10209, table 1), in units of the model's M = 2 N bytes: forward weights M to
// 0.5 M, backward weights M to 0, gradients M to 0.25 M. A ring over n ranks sends (n-1)/n of a
// buffer over each node's border, an exchange between P nodes (P-1)/P; scales add 0.2 to 0.8 %.
TEST(PublishedVolume, OfZeroPlusPlusFallsFromThreeModelsToThreeQuarters) {
  const double model = 2 * parameters(tall_model());
  const double ring = model * (kNodes * kGpus - 1) / (kNodes * kGpus);
  const double exchange = model * (kNodes - 1) / kNodes;
  const auto weights = [&](const char* scheme) {
    return between_nodes(scheme, Phase::weight_comm) / ring;
  };
  const auto gradients = [&](const char* scheme) {
    return between_nodes(scheme, Phase::gradient_comm);
  };
  EXPECT_NEAR(weights("sharded"), 2, 0.01);
  EXPECT_NEAR(weights("qwz"), 1, 0.01);
  EXPECT_NEAR(weights("hpz"), 1, 0.01);
  EXPECT_NEAR(weights("zeropp"), 0.5, 0.01);
  EXPECT_NEAR(gradients("sharded") / ring, 1, 0.001);
  EXPECT_NEAR(gradients("qgz") / exchange, 0.25, 0.003);
  const double before = weights("sharded") + gradients("sharded") / ring;
  const double after = weights("zeropp") + gradients("zeropp") / exchange;
  EXPECT_NEAR(before, 3, 0.01);
  EXPECT_NEAR(after, 0.75, 0.01);
}

// Bytes that a rank of n sends of the gradients.
double sent_of_gradients(const char* scheme, int nodes, const Model& model) {
  const Scheme& row = scheme_named(scheme);
  const SentBytes sent =
      sent_bytes(plan(small_cluster(nodes, kGpus), model, defined(row), row), Phase::gradient_comm);
  return mean(sent.intra_node) + mean(sent.inter_node);
}

// 1-bit Adam (arXiv 2102.02888, section 4.2): of FP32's all_reduce, 1/32; of FP16's, 1/16.
TEST(PublishedVolume, OfOneBitAdamIsAThirtySecondOfTheAllReduce) {
  for (const int nodes : {2, 8}) {
    const double dense = sent_of_gradients("data_parallel", nodes, tall_model());
    EXPECT_NEAR(dense / sent_of_gradients("one_bit_adam", nodes, tall_model()), 32, 0.05);
  }
}

// PowerSGD (arXiv 1905.13727, section 3): r (n + m) values of each n x m, by all_reduce.
TEST(PublishedVolume, OfPowerSgdAreItsFactorsAndTheVectors) {
  const Model model = tall_model();
  const double h = model.hidden;
  const double vectors = model.layers * 2 * h + h;
  const double sides = model.layers * (4 * (h + h) + 2 * (4 * h + h)) + (512 + h);
  for (const int rank : {1, 2, 4}) {
    const Setting setting{"scheme.factor_rank", std::to_string(rank)};
    const Scheme scheme = with_settings(scheme_named("power_sgd"), {&setting, 1});
    const SentBytes sent = sent_bytes(plan(small_cluster(2, kGpus), model, defined(scheme), scheme),
                                      Phase::gradient_comm);
    EXPECT_NEAR(mean(sent.intra_node) + mean(sent.inter_node),
                2 * 7.0 / 8 * 4 * (rank * sides + vectors), 1);
  }
}

// Top-k with indices, by all_gather: every rank sends on what n - 1 ranks sent, 64 of 4096 values of
// 32 bits with 12 of index. With as many ranks as 4096 / 64 x 32 / 44 / (1/2) it sends more than the
// all_reduce of everything.
TEST(PublishedVolume, OfTopKGrowsWithTheRanks) {
  const Model model = tall_model();
  const double wire = parameters(model) * 64 / 4096 * (32 + 12) / 8;
  for (const int nodes : {2, 8, 32}) {
    const int ranks = nodes * kGpus;
    const double sent = sent_of_gradients("top_k", nodes, model);
    EXPECT_NEAR(sent / ((ranks - 1) * wire), 1, 1e-3);
    const double dense = 2.0 * (ranks - 1) / ranks * 4 * parameters(model);
    EXPECT_NEAR(sent / dense, ranks * 64.0 / 4096 * 44 / 32 / 2, 1e-3);
  }
}

// Random-k sends no indices, and each value as often as an all_reduce does.
TEST(PublishedVolume, OfRandomKIsASixtyFourthOfTheAllReduce) {
  EXPECT_NEAR(sent_of_gradients("data_parallel", 8, tall_model()) /
                  sent_of_gradients("random_k", 8, tall_model()),
              4096.0 / 64, 0.1);
}

}  // namespace
}  // namespace sim
