// SPDX-License-Identifier: Apache-2.0
// FLOP of models by hand, one for each kind of layer, and as the kernels of their layers do them.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/workload/matrices.hpp"
#include "sim/workload/operators.hpp"
#include "sim/workload/parameters.hpp"
#include "tests/shipped_files.hpp"
#include "tests/workload/operator_sums.hpp"
#include "tests/workload/shipped_model.hpp"

namespace {

using namespace sim;

// Of one token forward, a third of a step's. Numbers below are exact in a double.
double token_flop(const Model& model, CountedScores scores) {
  return model_flop(model, 1, scores).base() / (3.0 * model.sequence);
}

// Of `weights` that a token is multiplied with, and of scores by so many columns of queries, keys, values
// and outputs: each layer has 2 FLOP a column and token that it attends to.
void expect_flop(const Model& model, double weights, double scores) {
  SCOPED_TRACE(model.name);
  EXPECT_NEAR(token_flop(model, CountedScores::whole) / (2 * weights + scores), 1, 1e-14);
  const double counted = model.causal ? 0.5 * scores : scores;
  EXPECT_NEAR(token_flop(model, CountedScores::causal) / (2 * weights + counted), 1, 1e-14);
}

TEST(ModelFlop, OfDenseGatedLayers) {
  // Llama 3.1 8B. A layer: queries and output 2 * 4096^2, keys and values 2 * 4096 * 1024, gate, up and
  // down 3 * 4096 * 14336, which is 218,103,808; logits 4096 * 128256. Scores: 8192 tokens by queries and
  // outputs of 4096 each.
  const double weights = 32 * 218'103'808.0 + 525'336'576;
  const double scores = 32 * 2 * 8'192.0 * (4'096 + 4'096);
  expect_flop(shipped_model("llama_3.1_8b"), weights, scores);
  // All together 2 * 7,504,658,432 + 4,294,967,296.
  EXPECT_EQ(2 * weights + scores, 19'304'284'160);
}

TEST(ModelFlop, OfExpertsWithASharedOneAndLatentAttention) {
  // DeepSeek-V3. Attention: queries 7168 * 1536 down and 1536 * 24576 up; keys and values 7168 * 576 down
  // and 512 * 128 * (128 + 128) up; output 16384 * 7168: 187,105,280. Three dense layers of
  // 3 * 7168 * 18432 = 396,361,728. In 58 a router of 256 * 7168 = 1,835,008, and 8 + 1 experts of
  // 3 * 7168 * 2048: 396,361,728 again. One more layer predicts a further token: as the last, with a
  // projection of 2 * 7168^2 = 102,760,448 and logits of its own, 7168 * 129280 = 926,679,040.
  const double layers = 62 * 187'105'280.0 + 3 * 396'361'728.0 + 59 * (1'835'008 + 396'361'728.0);
  const double weights = layers + 102'760'448 + 2 * 926'679'040.0;
  // Queries and keys are 128 * 192 wide, values and outputs 128 * 128.
  const double scores = 62 * 2 * 4'096.0 * (24'576 + 16'384);
  expect_flop(shipped_model("deepseek_v3"), weights, scores);
  EXPECT_EQ(2 * weights + scores, 97'282'424'832);
}

TEST(ModelFlop, OfASlidingWindow) {
  // Gemma 3 27B. A layer: queries and output 2 * 5376 * 4096, keys and values 2 * 5376 * 2048, gate, up
  // and down 3 * 5376 * 21504: 412,876,800; logits 5376 * 262208. Of 62 layers the 6th, 12th ... 60th
  // attend to all 32768 tokens. In the others the first 1024 tokens have 512 before them on average,
  // the others 1024: 1024 * (1 - 1024 / 65536) = 1008, which counts twice, as all scores do.
  const double weights = 62 * 412'876'800.0 + 1'409'630'208;
  const double scores = 2 * (10 * 32'768.0 + 52 * 2 * 1'008.0) * (4'096 + 4'096);
  expect_flop(shipped_model("gemma_3_27b"), weights, scores);
}

TEST(ModelFlop, OfAChunk) {
  // Llama 4 Maverick at four chunks. Attention: 5120 * (5120 + 2 * 1024 + 5120) = 62,914,560. Half of the
  // layers are dense, 3 * 5120 * 16384 = 251,658,240; the others have a router of 128 * 5120 and two
  // experts, one shared, of 3 * 5120 * 8192 = 125,829,120. Logits 5120 * 202048. Three of four layers
  // attend to a chunk of 8192.
  Model model = shipped_model("llama_4_maverick");
  model.sequence = 4 * 8'192;
  const double blocks = 24 * 251'658'240.0 + 24 * (655'360 + 2 * 125'829'120.0);
  const double weights = 48 * 62'914'560.0 + blocks + 1'034'485'760;
  const double scores = 2 * (36 * 8'192.0 + 12 * 32'768.0) * (5'120 + 5'120);
  expect_flop(model, weights, scores);
}

TEST(ModelFlop, OfMamba2) {
  // Nemotron 3 Nano. 23 Mamba-2 layers: 2688 columns to gate and x of 4096 each, B and C of 8 * 128 each
  // and 64 steps, 10304, and 4096 back: 38,707,200. 6 of attention: 2688 * (4096 + 2 * 256 + 4096) =
  // 23,396,352. 23 of experts: a router of 128 * 2688, and 6 experts of 2 * 2688 * 1856 beside one of
  // 2 * 2688 * 3712: 344,064 + 59,867,136 + 19,955,712. Logits 2688 * 131072.
  const double blocks = 23 * (344'064 + 59'867'136 + 19'955'712.0);
  const double weights = 23 * 38'707'200.0 + 6 * 23'396'352.0 + blocks + 352'321'536;
  // Megatron-LM's 7 d n of a scan, with 4096 columns and 128 states; it has no scores that could be halved.
  const double scans = 23 * 7 * 4'096.0 * 128;
  const double scores = 6 * 2 * 8'192.0 * (4'096 + 4'096);
  expect_flop(shipped_model("nemotron_3_nano"), weights + scans / 2, scores);
}

TEST(ModelFlop, OfPatches) {
  // ViT-g/14. A layer: 4 * 1408^2 + 2 * 1408 * 6144 = 25,231,360; patches 588 * 1408; the classifier reads
  // one token of 257, 1408 * 1000. Each of 257 tokens attends to all.
  const Model model = shipped_model("vit_g");
  const double weights = 40 * 25'231'360.0 + 827'904 + 1'408'000 / 257.0;
  expect_flop(model, weights, 40 * 2 * 257.0 * (1'408 + 1'408));
  // arXiv 2106.04560, table 2: 533.1 GFLOP forward, with a pooling of its own in place of a class token.
  EXPECT_NEAR(model_flop(model, 1).base() / 3 / 533.1e9, 1, 0.005);
}

TEST(ModelFlop, OfModulatedLayers) {
  // DiT-XL/2. A layer: 12 * 1152^2 = 15,925,248 a token, and six vectors of each sample, 6 * 1152^2 of 256
  // tokens; patches 16 * 1152, outputs 32 * 1152.
  const Model model = shipped_model("dit_xl");
  const double weights = 28 * (15'925'248 + 7'962'624 / 256.0) + 48 * 1'152;
  expect_flop(model, weights, 28 * 2 * 256.0 * (1'152 + 1'152));
  // arXiv 2212.09748, table 1: 118.6 Gflops, of which one is a product and a sum.
  EXPECT_NEAR(model_flop(model, 1).base() / 6 / 118.6e9, 1, 0.001);
}

// Of products of weights, which are no attention and no scan.
double weight_products(const Operators& operators) {
  double flop = 0;
  for (const Operator& one : operators) {
    const bool mixes = one.name.starts_with("attention scores") ||
                       one.name.starts_with("attention values") || one.name.starts_with("scan");
    if (!mixes) flop += one.flop();
  }
  return flop;
}

double useful_scores(const Operators& operators) {
  double flop = 0;
  for (const Operator& one : operators) {
    if (one.name.starts_with("attention scores") || one.name.starts_with("attention values")) {
      flop += one.useful * one.flop();
    }
  }
  return flop;
}

struct LayerOf {
  Model model;
  LayerKind kind;
};

// All kinds of layers of all shipped models.
std::vector<LayerOf> all_kinds() {
  std::vector<LayerOf> all;
  for (const auto& file : shipped_files("traces/models", ".toml")) {
    const Model model = read_model(file);
    for (const KindCount& one : kinds_between(model, 0, all_layers(model))) {
      all.push_back({model, one.kind});
    }
  }
  return all;
}

const Parallelism kThreeSamples{.micro_batch = 3, .attention = Attention::fused};

// Of weights and the logits of layers that predict, of three samples.
double weights_flop(const LayerOf& layer) {
  const double tokens = 3.0 * layer.model.sequence;
  double sum = layer.kind.predicts ? 2 * tokens * layer.model.hidden * layer.model.vocabulary : 0;
  for (const LayerMatrix& one : layer_weights(layer.model, layer.kind)) {
    sum +=
        2 * (one.of_sample ? 3 : tokens) * static_cast<double>(one.outputs * one.inputs * one.met);
  }
  return sum;
}

TEST(ModelFlop, OfWeightsAreThoseOfKernels) {
  for (const LayerOf& layer : all_kinds()) {
    SCOPED_TRACE(layer.model.name);
    const LayerOperators kernels = layer_operators(layer.model, kThreeSamples, layer.kind);
    const double weights = weights_flop(layer);
    EXPECT_NEAR(weight_products(forward_of(kernels)) / weights, 1, 1e-13);
    EXPECT_NEAR(weight_products(backward_of(kernels)) / weights, 2, 1e-13);
  }
}

TEST(ModelFlop, OfScoresAreThoseOfKernelsThatCount) {
  for (const LayerOf& layer : all_kinds()) {
    if (!layer.kind.has_attention()) continue;
    SCOPED_TRACE(layer.model.name);
    const LayerOperators kernels = layer_operators(layer.model, kThreeSamples, layer.kind);
    const double all = 3.0 * layer.model.sequence * layer_flop(layer.model, layer.kind);
    EXPECT_NEAR(useful_scores(forward_of(kernels)) / (all - weights_flop(layer)), 1, 1e-9);
  }
}

}  // namespace
