// SPDX-License-Identifier: Apache-2.0
// Shipped models have as many parameters as their publications say.
#include <gtest/gtest.h>

#include <string>

#include "sim/workload/parameters.hpp"
#include "tests/workload/shipped_model.hpp"

namespace {

using namespace sim;

constexpr double kBillion = 1e9;

struct Elements {
  const char* name;
  std::int64_t parameters;
};

TEST(PublishedSizes, AreTheElementsOfCheckpoints) {
  // As the models' pages on Hugging Face add up their tensors, each parameter once: without FP8 scales,
  // without modules that predict further tokens, and of Gemma 3 without its vision encoder.
  for (const Elements& published :
       {Elements{"llama_3.1_8b", 8'030'261'248}, Elements{"llama_3.2_1b", 1'235'814'400},
        Elements{"qwen2.5_7b", 7'615'616'512}, Elements{"qwen2.5_72b", 72'706'203'648},
        Elements{"qwen3_8b", 8'190'735'360}, Elements{"qwen3_32b", 32'762'123'264},
        Elements{"qwen3_30b_a3b", 30'532'122'624}, Elements{"qwen3_235b_a22b", 235'093'634'560},
        Elements{"mistral_7b", 7'241'732'096}, Elements{"mixtral_8x7b", 46'702'792'704},
        Elements{"mixtral_8x22b", 140'620'634'112}, Elements{"gemma_3_27b", 27'009'346'304},
        Elements{"olmo_2_13b", 13'716'198'400}, Elements{"deepseek_v2", 235'741'434'880},
        Elements{"deepseek_v2_lite", 15'706'484'224}, Elements{"deepseek_v3", 671'026'419'200},
        Elements{"kimi_k2", 1'026'408'232'448}, Elements{"gpt_oss_20b", 20'914'757'184},
        Elements{"gpt_oss_120b", 116'829'156'672},
        // 31,577,937,344 in BF16, and 23 routers' 128 biases in FP32.
        Elements{"nemotron_3_nano", 31'577'937'344 + 23 * 128}}) {
    EXPECT_EQ(total_parameters(shipped_model(published.name)), published.parameters)
        << published.name;
  }
}

// As publications round them, in billions; `active` is of one token, with both embeddings or without that
// of its words.
struct Rounded {
  const char* name;
  double total, half_digit;
  double active, active_half_digit;
  bool with_words;
};

TEST(PublishedSizes, OfExpertsRoundToThePublishedNumbers) {
  for (
      const Rounded& published :
      {// Mistral AI, Mixtral of experts, December 2023: 46.7B, 12.9B per token.
       Rounded{"mixtral_8x7b", 46.7, 0.05, 12.9, 0.05, true},
       // Mistral AI, Cheaper, Better, Faster, Stronger, April 2024: 39B active out of 141B.
       Rounded{"mixtral_8x22b", 141, 0.5, 39, 0.5, true},
       // Model cards of Qwen3: 30.5B and 3.3B (3.35 cut), 235B and 22B.
       Rounded{"qwen3_30b_a3b", 30.5, 0.05, 3.3, 0.06, true},
       Rounded{"qwen3_235b_a22b", 235, 0.5, 22, 0.5, true},
       // arXiv 2405.04434, abstract and appendix B: 236B and 21B, 15.7B and 2.4B (2.45 cut).
       Rounded{"deepseek_v2", 236, 0.5, 21, 0.5, false},
       Rounded{"deepseek_v2_lite", 15.7, 0.05, 2.4, 0.06, false},
       // README_WEIGHTS.md of deepseek-ai/DeepSeek-V3-Base: 671B, 36.6B with the output head's 0.9B.
       Rounded{"deepseek_v3", 671, 0.5, 36.6, 0.05, false},
       // arXiv 2507.20534, abstract: 1T and 32B. Elsewhere it has 1.04T, more than the checkpoint.
       Rounded{"kimi_k2", 1000, 50, 32, 0.5, false},
       // arXiv 2508.10925, table 1: embeddings of words are not counted as active.
       Rounded{"gpt_oss_20b", 20.91, 0.005, 3.61, 0.005, false},
       Rounded{"gpt_oss_120b", 116.83, 0.005, 5.13, 0.005, false},
       // Meta, The Llama 4 herd, April 2025: 400B and 17B, the vision encoder's 0.9B among them.
       Rounded{"llama_4_maverick", 400, 1, 17, 0.5, true},
       // arXiv 2512.20848, section 1: 31.6B, 3.2B and 3.6B with embeddings.
       Rounded{"nemotron_3_nano", 31.6, 0.05, 3.2, 0.05, false},
       Rounded{"nemotron_3_nano", 31.6, 0.05, 3.6, 0.05, true},
       // Their names: 120B A12B and 550B A55B.
       Rounded{"nemotron_3_super", 120, 1, 12, 0.5, false},
       Rounded{"nemotron_3_ultra", 550, 1, 55, 0.5, false}}) {
    const ParametersByPart parts = parameters_by_part(shipped_model(published.name));
    const std::int64_t active = published.with_words ? parts.active : parts.active_without_words;
    EXPECT_NEAR(static_cast<double>(parts.total) / kBillion, published.total, published.half_digit)
        << published.name;
    EXPECT_NEAR(static_cast<double>(active) / kBillion, published.active,
                published.active_half_digit)
        << published.name;
  }
}

TEST(PublishedSizes, OfDeepSeeksPredictionAreThePublishedNumber) {
  // README_WEIGHTS.md of deepseek-ai/DeepSeek-V3-Base: 11.5B beside the shared embedding and head.
  const ParametersByPart parts = parameters_by_part(shipped_model("deepseek_v3"));
  // By hand, as below for the others: attention with norms of its vectors 187,107,328; router 256 * 7168
  // + 256; 257 experts of 3 * 7168 * 2048; join 2 * 7168^2; norms 2 + 3 of 7168.
  EXPECT_EQ(parts.predictions,
            187'107'328 + 1'835'264 + 257 * 44'040'192LL + 102'760'448 + 5 * 7'168);
  EXPECT_NEAR(static_cast<double>(parts.predictions) / kBillion, 11.5, 0.15);
}

TEST(PublishedSizes, OfLlama4AreThoseOfItsMatrices) {
  // Attention 5120 * (5120 + 2 * 1024 + 5120) and two norms of 5120 in 48 layers; 24 dense ones of
  // 3 * 5120 * 16384; in 24 a router of 128 * 5120 and 128 + 1 experts of 3 * 5120 * 8192; two
  // embeddings of 202048 * 5120 and a norm.
  EXPECT_EQ(total_parameters(shipped_model("llama_4_maverick")),
            48 * (62'914'560LL + 10'240) + 24 * 251'658'240LL +
                24 * (655'360LL + 129 * 125'829'120LL) + 2 * 1'034'485'760LL + 5'120);
}

TEST(PublishedSizes, OfGrok1AreThoseOfItsMatrices) {
  // Attention 6144 * (6144 + 2 * 1024 + 6144), a router of 8 * 6144, 8 experts of 3 * 6144 * 32768, four
  // norms; one embedding of 131072 * 6144 and a norm.
  const Model model = shipped_model("grok_1");
  EXPECT_EQ(total_parameters(model),
            64 * (88'080'384LL + 49'152 + 8 * 603'979'776LL + 4 * 6'144) + 805'306'368 + 6'144);
  // README.md of github.com/xai-org/grok-1: 314B. Without the embedding, 314.88 cut.
  const std::int64_t layers = total_parameters(model) - end_parameters(model).words;
  EXPECT_EQ(layers / 1'000'000'000, 314);
}

TEST(PublishedSizes, OfGemma3AreThePublishedParts) {
  // arXiv 2503.19786, table 1: 25,600M beside embeddings, and 1,416M of these, which is the table and the
  // projection of the vision encoder's 1152 columns.
  const Model model = shipped_model("gemma_3_27b");
  const double words = static_cast<double>(end_parameters(model).words);
  EXPECT_NEAR((static_cast<double>(total_parameters(model)) - words) / 25.6e9, 1, 1e-3);
  EXPECT_NEAR((words + 1'152.0 * 5'376) / 1.416e9, 1, 1e-3);
}

TEST(PublishedSizes, OfImagesAreThePublishedNumber) {
  // arXiv 2106.04560, table 2: 1011M of ViT-g/14, without its classifier.
  const Model vit = shipped_model("vit_g");
  const double classifier = (vit.hidden + 1) * 1'000;
  EXPECT_NEAR((static_cast<double>(total_parameters(vit)) - classifier) / 1.011e9, 1, 1e-3);
  // arXiv 2212.09748, table 4: 675M of DiT-XL/2. Its implementation counts 675,129,632, the table of
  // positions that is not trained among them.
  const Model dit = shipped_model("dit_xl");
  EXPECT_EQ(total_parameters(dit) + 256 * 1'152, 675'129'632);
  EXPECT_NEAR(static_cast<double>(total_parameters(dit)) / 0.675e9, 1, 1e-3);
}

}  // namespace
