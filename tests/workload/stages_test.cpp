// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/schemes/sample_step.hpp"

namespace sim {
namespace {

Model of_layers(int layers) {
  Model model = sample_model();
  model.layers = layers;
  return model;
}

std::vector<int> all_layers(int layers, const Parallelism& p) {
  std::vector<int> held;
  for (int v = 0; v < p.pipeline * p.virtual_stages; ++v) {
    held.push_back(Stages(of_layers(layers), p).layers_of(v));
  }
  return held;
}

TEST(Stages, HoldAllLayersInOrderAndDifferByOneAtMost) {
  for (const int layers : {12, 13, 31, 126}) {
    for (const int pipeline : {1, 2, 3, 5}) {
      for (const int chunks : {1, 2}) {
        const Parallelism p{.pipeline = pipeline, .virtual_stages = chunks};
        const auto held = all_layers(layers, p);
        EXPECT_EQ(std::accumulate(held.begin(), held.end(), 0), layers);
        EXPECT_LE(held.front() - held.back(), 1);
        EXPECT_TRUE(std::ranges::is_sorted(held, std::greater()));
        EXPECT_EQ(Stages(of_layers(layers), p).most_layers_of_a_chunk(), held.front());
        EXPECT_EQ(Stages(of_layers(layers), p).first_layer(0), 0);
        EXPECT_EQ(Stages(of_layers(layers), p).first_layer(pipeline * chunks), layers);
      }
    }
  }
}

TEST(Stages, OfLlama3CountItsEnds) {
  // 126 layers, embedding and head on 16 stages: arXiv 2407.21783, section 3.3.2.
  std::vector<int> held(16, 8);
  held.front() = held.back() = 7;
  EXPECT_EQ(all_layers(126, {.pipeline = 16, .counted_ends = CountedEnds::both}), held);
  held.front() = 8;
  EXPECT_EQ(all_layers(127, {.pipeline = 16, .counted_ends = CountedEnds::head}), held);
  held.front() = 7;
  held.back() = 8;
  EXPECT_EQ(all_layers(127, {.pipeline = 16, .counted_ends = CountedEnds::embedding}), held);
}

TEST(Stages, HaveChunksAtEqualDistances) {
  // 10 layers as 3, 3, 2, 2 of four virtual stages: 3 and 2 on each of two stages.
  const Parallelism p{.pipeline = 2, .virtual_stages = 2};
  EXPECT_EQ(Stages(of_layers(10), p).chunk_starts(0), (std::vector{0, 3, 5}));
  EXPECT_EQ(Stages(of_layers(10), p).chunk_starts(1), (std::vector{0, 3, 5}));
  EXPECT_EQ(Stages(of_layers(10), p).layers_of_stage(0), 5);
}

TEST(Stages, LeaveAnEndAChunkOfItsOwn) {
  const Parallelism p{.pipeline = 16, .virtual_stages = 8, .counted_ends = CountedEnds::both};
  std::vector<int> held(128, 1);
  held.front() = held.back() = 0;
  EXPECT_EQ(all_layers(126, p), held);
  EXPECT_EQ(Stages(of_layers(126), p).chunk_starts(0), (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(Stages(of_layers(126), p).layers_of_stage(0), 7);
}

std::ptrdiff_t kernels(const Schedule& schedule, Phase phase, std::string_view label) {
  return std::ranges::count_if(schedule.operations, [&](const Operation& one) {
    return one.phase == phase && schedule.labels[one.label] == label;
  });
}

// 14 layers, the embedding and the head on 4 x 4 virtual stages, of which the first and the last have no
// layer.
class LoneEnds : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Schedule step(int sharding, bool overlap) {
    Parallelism p{
        .pipeline = 4, .virtual_stages = 4, .counted_ends = CountedEnds::both, .accumulation = 4};
    p.sharding.stage = sharding;
    if (overlap) p.overlap = kOverlapAll;
    return plan(small_cluster(2, 4), of_layers(14), p, scheme_named("sharded"));
  }
};

TEST_P(LoneEnds, ComputeOnceAMicroBatchAndReplica) {
  for (const bool overlap : {false, true}) {
    const Schedule schedule = step(GetParam(), overlap);
    for (const Phase phase : {Phase::forward, Phase::backward}) {
      EXPECT_EQ(kernels(schedule, phase, "embedding"), 8);
      EXPECT_EQ(kernels(schedule, phase, "head"), 8);
    }
    for (int layer = 0; layer < 14; ++layer) {
      const std::string label = "layer " + std::to_string(layer);
      EXPECT_EQ(kernels(schedule, Phase::forward, label), 8);
    }
  }
}

// As they are where the same layers lie in fewer chunks.
TEST_P(LoneEnds, ExchangeAllWeightsAndGradients) {
  Parallelism p{.pipeline = 4, .counted_ends = CountedEnds::both, .accumulation = 4};
  p.sharding.stage = GetParam();
  const Schedule whole = plan(small_cluster(2, 4), of_layers(14), p, scheme_named("sharded"));
  const Schedule chunks = step(GetParam(), false);
  for (const Phase phase : {Phase::gradient_comm, Phase::weight_comm}) {
    const WireBytes sent = mean_sent(chunks, phase), expected = mean_sent(whole, phase);
    EXPECT_NEAR(sent.intra_node, expected.intra_node, 1e-9 * expected.intra_node);
    EXPECT_GT(expected.intra_node, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Stages, LoneEnds, testing::Values(1, 2, 3));

// Forward and backward kernels of the layers on the first rank of each stage.
TEST(Stages, ComputeTheLayersThatTheyHold) {
  for (const int sharding : {1, 3}) {
    for (const int chunks : {1, 2}) {
      Parallelism p{.pipeline = 4, .virtual_stages = chunks, .accumulation = 4};
      p.sharding.stage = sharding;
      p.overlap = kOverlapAll;
      const Model model = of_layers(13);
      const Schedule schedule = plan(small_cluster(2, 4), model, p, scheme_named("sharded"));
      std::multiset<std::string> forward;
      for (const Operation& operation : schedule.operations) {
        const std::string_view label = schedule.labels[operation.label];
        if (operation.phase != Phase::forward || !label.starts_with("layer ")) continue;
        forward.emplace(label);
      }
      for (int layer = 0; layer < 13; ++layer) {  // two replicas of four micro-batches
        EXPECT_EQ(forward.count("layer " + std::to_string(layer)), 8U);
      }
      EXPECT_EQ(forward.size(), 13 * 8U);
    }
  }
}

}  // namespace
}  // namespace sim
