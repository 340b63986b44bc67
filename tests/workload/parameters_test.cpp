// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/parameters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>
#include <utility>

#include "sim/workload/model.hpp"
#include "tests/workload/shipped_model.hpp"

namespace {

using namespace sim;

struct Published {
  const char* name;
  std::int64_t parameters;
};

TEST(Parameters, OfShippedModelsAreThePublishedNumber) {
  // Llamas: elements of the tensors that meta-llama publishes, as their model cards on Hugging Face
  // add them up. MPT: NumParams at sequence 2048 of MosaicML llm-foundry,
  // scripts/train/benchmarking/README.md.
  for (const Published& published :
       {Published{"llama_2_7b", 6'738'415'616}, Published{"llama_2_13b", 13'015'864'320},
        Published{"llama_2_70b", 68'976'648'192}, Published{"llama_3_8b", 8'030'261'248},
        Published{"llama_3_70b", 70'553'706'496}, Published{"llama_3.1_405b", 405'853'388'800},
        Published{"mpt_125m", 125'311'488}, Published{"mpt_350m", 355'985'408},
        Published{"mpt_760m", 760'470'528}, Published{"mpt_1b", 1'315'950'592},
        Published{"mpt_3b", 2'651'837'440}, Published{"mpt_7b", 6'658'859'008},
        Published{"mpt_13b", 12'853'954'560}, Published{"mpt_30b", 29'975'214'080},
        Published{"mpt_70b", 64'862'437'376}}) {
    EXPECT_EQ(total_parameters(shipped_model(published.name)), published.parameters)
        << published.name;
  }
}

TEST(Parameters, OfLlama2AreThoseOfItsMatrices) {
  // A layer: 4 * 4096^2 of attention, 3 * 4096 * 11008 of swiglu and two norms of 4096, which is
  // 202,383,360; 32 of them, 2 * 32000 * 4096 of embeddings and a norm of 4096.
  EXPECT_EQ(total_parameters(shipped_model("llama_2_7b")), 6'738'415'616);
}

TEST(Parameters, OfGpt2SmallAreThePublishedNumber) {
  // GPT-2 small, with its vocabulary unpadded and 1024 positions, is known to have 124,439,808:
  // 12 * (12 * 768^2 + 13 * 768) + (50257 + 1024 + 2) * 768.
  Model model = shipped_model("gpt_125m");
  model.vocabulary = 50'257;
  model.position_table = 1'024;
  EXPECT_EQ(total_parameters(model), 124'439'808);
}

TEST(Parameters, OfLlama3With8BillionAreThoseOfItsMatrices) {
  // A layer: 4096^2 of queries and as much of output, 2 * 4096 * 1024 of keys and values (8 of 32
  // heads), 3 * 4096 * 14336 of swiglu and two norms of 4096, which is 218,112,000; 32 of them,
  // 2 * 128256 * 4096 and a norm of 4096.
  EXPECT_EQ(total_parameters(shipped_model("llama_3_8b")), 8'030'261'248);
}

struct Gpt {
  const char* name;
  std::int64_t layers;
  std::int64_t hidden;
};

constexpr std::array kGpts{Gpt{"gpt_125m", 12, 768},  Gpt{"gpt_350m", 24, 1024},
                           Gpt{"gpt_1.3b", 24, 2048}, Gpt{"gpt_2.7b", 32, 2560},
                           Gpt{"gpt_6.7b", 32, 4096}, Gpt{"gpt_13b", 40, 5120},
                           Gpt{"gpt_18b", 40, 6144}};

TEST(Parameters, OfGptShapesAreTheClosedForm) {
  // A layer has 12 h^2 weights (3 + 1 of attention, 4 + 4 of the block), biases of 3 + 1 + 4 + 1
  // and norms of 2 * 2 vectors of h; then V + s embeddings and the last norm of 2 vectors.
  for (const Gpt& gpt : kGpts) {
    EXPECT_EQ(total_parameters(shipped_model(gpt.name)),
              gpt.layers * (12 * gpt.hidden * gpt.hidden + 13 * gpt.hidden) +
                  (50'304 + 2'048 + 2) * gpt.hidden)
        << gpt.name;
  }
  // 32 * (12 * 2560^2 + 13 * 2560) + 52354 * 2560 = 32 * 78,676,480 + 134,026,240.
  EXPECT_EQ(total_parameters(shipped_model("gpt_2.7b")), 2'651'673'600);
}

TEST(Parameters, OfMegatronsWeakScalingAreThePublishedNumber) {
  // arXiv 2104.04473, table 1, in billions with one decimal.
  for (const auto& [name, billions] :
       {std::pair{"gpt_1.7b_sc21", 1.7}, std::pair{"gpt_3.6b_sc21", 3.6},
        std::pair{"gpt_7.5b_sc21", 7.5}, std::pair{"gpt_18b_sc21", 18.4},
        std::pair{"gpt_39b_sc21", 39.1}, std::pair{"gpt_76b_sc21", 76.1},
        std::pair{"gpt_145b_sc21", 145.6}}) {
    const auto parameters = static_cast<double>(total_parameters(shipped_model(name)));
    EXPECT_NEAR(parameters / 1e9, billions, 0.05) << name;
  }
}

TEST(Parameters, OfBenchmarkedModelsAreAboutThePublishedNumber) {
  // GPT-3: "175.0B" (arXiv 2005.14165, table 2.1), less its narrower vocabulary and so on: within
  // 0.5 %. Nemotron-4: 3.2 and 12.5 billion (arXiv 2402.16819, section 2), 9.4 and 331.6 billion (arXiv
  // 2406.11704, section 2) in and outside of embeddings.
  const auto billions = [](std::int64_t count) { return static_cast<double>(count) / 1e9; };
  EXPECT_NEAR(billions(total_parameters(shipped_model("gpt_175b"))) / 175, 1, 0.005);
  EXPECT_NEAR(billions(total_parameters(shipped_model("gpt_5b_paxml"))), 5, 0.1);
  for (const auto& [name, inside, outside] :
       {std::tuple{"nemotron_4_15b", 3.2, 12.5}, std::tuple{"nemotron_4_340b", 9.4, 331.6}}) {
    const Model model = shipped_model(name);
    const double embedding = 2 * billions(end_parameters(model).words);
    EXPECT_NEAR(embedding, inside, 0.06) << name;
    EXPECT_NEAR(billions(total_parameters(model)) - embedding, outside, 0.06) << name;
  }
}

TEST(Parameters, AreSplitByWhereTheyLive) {
  Model model = shipped_model("gpt_125m");
  model.kv_heads = 4;  // a third of the heads: keys and values are 256 wide
  const LayerParameters count = layer_parameters(model);
  // Weights 768 * (768 + 2 * 256 + 768) + 2 * 768 * 3072, biases of query, key, value and rise.
  EXPECT_EQ(count.sharded, 768 * 2'048 + 2 * 768 * 3'072 + (768 + 2 * 256 + 3'072));
  // Two norms of 2 * 768, biases of the two outputs.
  EXPECT_EQ(count.replicated, 2 * 2 * 768 + 2 * 768);
  EXPECT_EQ(end_parameters(model).words, 50'304 * 768);
  EXPECT_EQ(end_parameters(model).first, 2'048 * 768);
  EXPECT_EQ(end_parameters(model).last, 2 * 768);
  model.biases = Model::Biases::qkv;
  EXPECT_EQ(layer_parameters(model).sharded, 768 * 2'048 + 2 * 768 * 3'072 + 768 + 2 * 256);
  EXPECT_EQ(layer_parameters(model).replicated, 2 * 2 * 768);
  model.biases = Model::Biases::none;
  EXPECT_EQ(layer_parameters(model).sharded, 768 * 2'048 + 2 * 768 * 3'072);
  EXPECT_EQ(layer_parameters(model).replicated, 2 * 2 * 768);
  model.norm = Model::Norm::layer_norm_no_bias;
  EXPECT_EQ(layer_parameters(model).replicated, 2 * 768);
  EXPECT_EQ(end_parameters(model).last, 768);
}

TEST(Parameters, OfHeadsAreTheirWidthWhateverTheHiddenSize) {
  Model model = shipped_model("gpt_125m");
  model.head_width = 80;  // 12 of them are 960 wide, not 768
  model.kv_heads = 4;
  model.query_key_norm = true;
  const LayerParameters count = layer_parameters(model);
  EXPECT_EQ(count.sharded, 2 * 768 * (960 + 320) + 2 * 768 * 3'072 + (960 + 2 * 320 + 3'072));
  // Two norms of 2 * 768, two of 2 * 80, biases of the two outputs.
  EXPECT_EQ(count.replicated, 2 * 2 * 768 + 2 * 2 * 80 + 2 * 768);
}

TEST(Parameters, OfPositionsAreTheTablesOrNone) {
  Model model = shipped_model("gpt_125m");
  model.sequence = 512;
  EXPECT_EQ(end_parameters(model).first, 2'048 * 768);
  for (const auto positions : {Model::Positions::rotary, Model::Positions::alibi}) {
    model.positions = positions;
    EXPECT_EQ(end_parameters(model).first, 0);
  }
}

TEST(Parameters, SwigluWithBiasesHasOneForGateAndOneForUp) {
  Model model = shipped_model("llama_2_7b");
  const std::int64_t without = total_parameters(model);
  model.biases = Model::Biases::all;
  // A layer: query, key, value, output and down of 4096, gate and up of 11008.
  EXPECT_EQ(total_parameters(model) - without, 32 * (5 * 4'096 + 2 * 11'008));
}

TEST(Parameters, UntyingAddsOneEmbedding) {
  Model model = shipped_model("gpt_1.3b");
  const std::int64_t tied = total_parameters(model);
  model.tied_embeddings = false;
  EXPECT_EQ(total_parameters(model) - tied, 50'304 * 2'048);
}

TEST(Parameters, OfTheLargestModelThatReadsFit64Bits) {
  Model model = shipped_model("llama_2_7b");
  model.layers = 10'000;
  model.hidden = 1'000'000;
  model.heads = model.kv_heads = model.head_width = 10'000;
  model.feed_forward = 10'000'000;
  model.vocabulary = 100'000'000;
  // 10^4 * (4 * 10^14 + 3 * 10^13 + 2 * 10^6) + 2 * 10^14 + 10^6.
  EXPECT_EQ(total_parameters(model), 4'300'200'020'001'000'000);
}

TEST(ModelFlop, OfGptShapesIsTheFormulaOfThePapers) {
  for (const Gpt& gpt : kGpts) {
    const double layers = static_cast<double>(gpt.layers);
    const double hidden = static_cast<double>(gpt.hidden);
    const double samples = 3;
    const double sequence = 2'048;
    // 72 B s L h^2 (1 + s / 6h + V / 12Lh).
    const double expected = 72 * samples * sequence * layers * hidden * hidden *
                            (1 + sequence / (6 * hidden) + 50'304 / (12 * layers * hidden));
    EXPECT_NEAR(model_flop(shipped_model(gpt.name), 3).base() / expected, 1, 1e-14) << gpt.name;
  }
}

TEST(ModelFlop, CountsSharedKeysOnceAndTheirScoresForEveryHead) {
  Model model = shipped_model("llama_2_7b");
  const double all_heads = model_flop(model, 1).base();
  model.kv_heads = 8;
  // 24 of 32 heads' keys and values are not computed: 6 FLOP a token and weight, 4096 tokens.
  const double saved = 6.0 * 4'096 * 32 * 2 * 4'096 * 3'072;
  EXPECT_NEAR((all_heads - model_flop(model, 1).base()) / saved, 1, 1e-12);
}

TEST(ModelFlop, IsSixPerParameterAndTokenBesidesAttentionScores) {
  const Model model = shipped_model("llama_2_7b");
  // Multiplied with each token: all but the input embedding and the norms (65 of 4096).
  const double weights = 6'738'415'616.0 - 32'000.0 * 4'096 - 65.0 * 4'096;
  const double scores = 3.0 * 4 * 4'096 * 4'096 * 32;
  EXPECT_NEAR(model_flop(model, 1).base() / (4'096 * (6 * weights + scores)), 1, 1e-14);
}

}  // namespace
