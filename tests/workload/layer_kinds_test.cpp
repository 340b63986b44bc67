// SPDX-License-Identifier: Apache-2.0
// Orders of layers as text, and models whose layers differ.
#include "sim/workload/layer_kinds.hpp"

#include <gtest/gtest.h>

#include "sim/workload/activations.hpp"
#include "sim/workload/memory.hpp"
#include "sim/workload/parameters.hpp"
#include "tests/schemes/sample_step.hpp"
#include "tests/workload/operator_sums.hpp"

namespace sim {
namespace {

constexpr LayerKind kDense{};
constexpr LayerKind kExperts{.block = Block::experts};
constexpr LayerKind kWindow{.mixer = Mixer::window};
constexpr LayerKind kMamba{.mixer = Mixer::mamba, .block = Block::none};

std::vector<LayerKind> layers_of(const LayerOrder& order, int layers) {
  Model model = sample_model();
  model.layers = layers;
  model.order = order;
  std::vector<LayerKind> all;
  for (int i = 0; i < layers; ++i) all.push_back(kind_of(model, i));
  return all;
}

LayerOrder read(const char* text, Block usual = Block::dense) {
  const auto order = parse_order(text, usual);
  EXPECT_TRUE(order) << text;
  return order.value_or(LayerOrder{});
}

TEST(LayerOrder, RepeatsUntilAllLayersHaveAKind) {
  EXPECT_EQ(layers_of(read("window*2 full"), 5),
            (std::vector{kWindow, kWindow, kDense, kWindow, kWindow}));
}

TEST(LayerOrder, FillsWithItsLastWord) {
  EXPECT_EQ(layers_of(read("dense*2 experts*"), 5),
            (std::vector{kDense, kDense, kExperts, kExperts, kExperts}));
}

TEST(LayerOrder, LeavesOutWhatIsUsual) {
  EXPECT_EQ(read("window", Block::experts).kinds.front(),
            (LayerKind{.mixer = Mixer::window, .block = Block::experts}));
  EXPECT_EQ(read("mamba+none").kinds.front(), kMamba);
}

TEST(LayerOrder, IsNoOtherText) {
  for (const char* text :
       {"", " ", "dens", "dense*0", "dense*x", "dense**", "experts* dense", "none", "none+none",
        "full+", "+dense", "dense*99999999", "dense,full", "dense+full", "dense*-1"}) {
    EXPECT_FALSE(parse_order(text, Block::dense)) << text;
  }
}

TEST(LayerOrder, ReadsAsItWasWritten) {
  for (const char* text : {"dense*3 experts*", "window*5 full", "mamba+none none+experts full+none",
                           "window+dense window+experts unplaced+experts*2"}) {
    const LayerOrder order = read(text);
    EXPECT_EQ(read(order_text(order).c_str()), order) << order_text(order);
  }
}

TEST(LayerOrder, OfGivenLayersIsThoseLayers) {
  const std::vector<std::vector<LayerKind>> all{
      {kDense, kDense, kDense},
      {kDense, kExperts, kExperts, kExperts},
      {kWindow, kDense, kWindow, kDense, kWindow},
      {kMamba, kExperts, kMamba, kDense, kMamba, kExperts, kMamba, kDense},
      {kDense, kWindow, kExperts}};
  for (const auto& layers : all) {
    const LayerOrder order = order_of(layers);
    EXPECT_EQ(layers_of(order, static_cast<int>(layers.size())), layers);
    EXPECT_LE(order.kinds.size(), layers.size());
  }
  EXPECT_EQ(order_of(all[0]).kinds.size(), 1u);
  EXPECT_EQ(order_of(all[1]).kinds.size(), 2u);
  EXPECT_EQ(order_of(all[2]).kinds.size(), 2u);
}

// A block of the same width, of so many experts.
Model with_experts(int count, int top_k) {
  Model model = deep_model();
  model.experts = {.count = count, .top_k = top_k, .width = model.feed_forward};
  model.feed_forward = 0;
  return model;
}

std::vector<Parallelism> layouts() {
  std::vector<Parallelism> all;
  for (const int stage : {0, 1, 3}) {
    for (const Recompute recompute : {Recompute::none, Recompute::alternate, Recompute::full}) {
      all.push_back({.tensor = 2,
                     .pipeline = 2,
                     .sequence_parallel = true,
                     .accumulation = 2,
                     .recompute = recompute,
                     .attention = Attention::fused,
                     .sharding = {.stage = stage}});
    }
  }
  return all;
}

TEST(Experts, OfWhichThereIsOneAreADenseBlockToTheLastBit) {
  const Model dense = deep_model(), one = with_experts(1, 1);
  EXPECT_EQ(total_parameters(one), total_parameters(dense));
  EXPECT_EQ(model_flop(one, 3).base(), model_flop(dense, 3).base());
  for (const Parallelism& p : layouts()) {
    const Scheme& scheme =
        scheme_named(p.sharding.stage == 0 ? "data_parallel" : "sharded", "test");
    EXPECT_EQ(step_time(small_cluster(), one, p, scheme),
              step_time(small_cluster(), dense, p, scheme));
    EXPECT_DOUBLE_EQ(memory_use(small_cluster(), one, p).total(),
                     memory_use(small_cluster(), dense, p).total());
  }
}

TEST(Experts, MultiplyAsManyRowsAsTheirTokensChoose) {
  // Two of eight: twice the dense block's products, a router of 8 columns, and nothing else with FLOP.
  const Parallelism p{.attention = Attention::fused};
  const Model dense = deep_model(), model = with_experts(8, 2);
  const double tokens = dense.sequence, hidden = dense.hidden;
  const double block = 2 * tokens * hidden * dense.feed_forward * 2;
  const double router = 2 * tokens * hidden * 8;
  const auto flop = [&](const Model& of, LayerKind kind, bool is_forward) {
    const LayerOperators layer = layer_operators(of, p, kind);
    return sum_of(is_forward ? forward_of(layer) : backward_of(layer)).flop;
  };
  EXPECT_DOUBLE_EQ(flop(model, kExperts, true) - flop(dense, kDense, true), block + router);
  EXPECT_DOUBLE_EQ(flop(model, kExperts, false) - flop(dense, kDense, false), 2 * (block + router));
}

TEST(Experts, AreAllHeldAndFewAreMet) {
  const Model dense = deep_model(), model = with_experts(8, 2);
  const std::int64_t block = 2 * dense.hidden * dense.feed_forward, router = 8 * dense.hidden;
  EXPECT_EQ(total_parameters(model) - total_parameters(dense), dense.layers * (7 * block + router));
  const ParametersByPart parts = parameters_by_part(model);
  EXPECT_EQ(parts.experts, dense.layers * 8 * block);
  EXPECT_EQ(parts.total - parts.active, dense.layers * 6 * block);
  EXPECT_EQ(parts.attention + parts.feed_forward + parts.experts + parts.norms + parts.ends,
            parts.total);
}

TEST(Windows, ComputeNoMoreThanAllAndCountWhatTheyHold) {
  Model model = deep_model();
  model.sequence = 4096;
  const Parallelism p{.attention = Attention::fused};
  const auto scores = [&](LayerKind kind) {
    return sum_of(forward_of(layer_operators(model, p, kind))).flop;
  };
  const double whole = scores(kDense);
  double before = 0;
  for (const int window : {128, 512, 1024, 2048, 4095, 4096, 8192}) {
    model.window = window;
    const double now = scores(kWindow);
    EXPECT_LE(now, whole);
    EXPECT_GE(now, before);
    before = now;
  }
  EXPECT_EQ(before, whole);
  model.window = 1024;
  // 1 + ... + 1024 tokens of the first 1 024, and 1 024 of each after: 3 584 on average and counted twice
  // over 4 096.
  EXPECT_DOUBLE_EQ(attended(model, kWindow), 2 * 1024.0 * (1 - 1024.0 / 8192));
  EXPECT_EQ(attended(model, kDense), 4096);
}

TEST(Layers, ThatDifferAddUp) {
  Model model = with_experts(8, 2);
  model.feed_forward = 1024;
  model.window = 64;
  model.order = read("dense window+experts*");
  std::int64_t layers = 0;
  double flop = 0;
  for (int i = 0; i < model.layers; ++i) {
    layers += layer_parameters(model, kind_of(model, i)).total();
    flop += layer_flop(model, kind_of(model, i));
  }
  const EndParameters ends = end_parameters(model);
  EXPECT_EQ(total_parameters(model), layers + ends.words + ends.last);
  EXPECT_DOUBLE_EQ(model_flop(model, 1, CountedScores::causal).base(),
                   3.0 * model.sequence * (flop + 2.0 * model.hidden * model.vocabulary));
}

TEST(Predictions, AreLayersOfTheirOwnBehindTheOthers) {
  Model model = deep_model();
  const std::int64_t without = total_parameters(model);
  model.predictions = 1;
  EXPECT_EQ(all_layers(model), 5);
  EXPECT_TRUE(kind_of(model, 4).predicts);
  EXPECT_EQ(total_parameters(model), without);
  // A layer, a projection of twice the width, and three norms.
  const std::int64_t layer = layer_parameters(model).total(), h = model.hidden;
  EXPECT_EQ(parameters_by_part(model).predictions, layer + 2 * h * h + 3 * h);
}

}  // namespace
}  // namespace sim
