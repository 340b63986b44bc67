// SPDX-License-Identifier: Apache-2.0
// Every family of config.json gives the parameters that are published of one of its models.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sim/workload/families/family.hpp"
#include "sim/workload/parameters.hpp"
#include "tests/input_errors.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

using Json = nlohmann::json;

std::filesystem::path family_configs() { return source_directory() / "tests/workload/configs"; }

Model read_family_config(const std::string& name) {
  return read_model(family_configs() / name / "config.json");
}

// `unit`: of the last digit that is published; 1 where all are.
struct PublishedSize {
  const char* name;
  double parameters;
  double unit = 1;
};

// Elements of the tensors on Hugging Face, as each model's page adds them up, if nothing else is said.
// Where the page counts words twice that are tied, once.
constexpr PublishedSize kSizes[] = {
    {"Llama-2-7b-hf", 6'738'415'616},
    {"Llama-2-13b-hf", 13'015'864'320},
    {"Llama-2-70b-hf", 68'976'648'192},
    {"Meta-Llama-3-8B", 8'030'261'248},
    {"Meta-Llama-3-70B", 70'553'706'496},
    {"Llama-3.1-405B", 405'853'388'800},
    {"Llama-3.2-1B", 1'235'814'400},
    {"SmolLM2-135M", 134'515'008},
    {"SmolLM3-3B", 3'075'098'624},
    {"Mistral-7B-v0.1", 7'241'732'096},
    {"Mistral-Nemo-Base-2407", 12'247'782'400},
    {"Mistral-Small-3.1-24B", 23'572'403'200},  // its text: Mistral-Small-24B-Base-2501
    {"Qwen2.5-7B", 7'615'616'512},
    {"Qwen2.5-7B-Instruct-1M", 7'615'616'512},
    {"Qwen3-8B-Base", 8'190'735'360},
    {"Qwen3-0.6B-Base", 596'049'920},
    {"Qwen1.5-MoE-A2.7B", 14.3e9, 0.1e9},
    // With and without the embedding: arXiv 2408.00118 and 2503.19786, table 1 of both.
    {"gemma-7b", 8'537'680'896},
    {"gemma-2-9b", 9.24e9, 0.01e9},
    {"gemma-3-1b", 302e6 + 698e6, 2e6},
    {"gemma-3-4b", 675e6 + 3'209e6, 8e6},  // of 262 144 words; the code has 64 more
    {"phi-2", 2.78e9, 0.01e9},
    {"Phi-3-mini-4k", 3'821'079'552},
    {"phi-4", 14.7e9, 0.1e9},
    {"Phi-3.5-MoE", 41.9e9, 0.1e9},
    {"OLMo-7B", 6.89e9, 0.01e9},
    {"OLMo-2-1124-7B", 7.30e9, 0.01e9},
    {"OLMoE-1B-7B", 6.92e9, 0.01e9},
    {"falcon-7b", 7'217'189'760 - 65'024.0 * 4544},
    {"falcon-40b", 41.84e9 - 65'024.0 * 8192, 0.02e9},
    {"gpt2", 124'439'808},
    {"Cerebras-GPT-111M", 111e6, 1e6},  // arXiv 2304.03208, table 1
    {"gpt-j-6b", 6'053'381'344,
     10e6},  // README of the model: with a table of positions that it lacks
    {"gpt-neox-20b", 20'554'567'680},  // arXiv 2204.06745, section 2
    {"pythia-6.9b", 6'857'302'016},    // README of EleutherAI/pythia
    {"bloom", 176'247'271'424},        // model card
    {"opt-6.7b", 6.66e9, 0.01e9},
    {"starcoder2-7b", 7.17e9, 0.01e9},
    {"c4ai-command-r-v01", 35.0e9, 0.1e9},
    {"c4ai-command-r-plus", 103.8e9, 0.1e9},
    {"c4ai-command-r7b-12-2024", 8.03e9, 0.01e9},
    {"granite-3.0-8b", 8.17e9, 0.01e9},
    {"granite-3.0-1b-a400m", 1.33e9, 0.01e9},
    {"internlm-7b", 7.32e9, 0.01e9},
    {"internlm2-7b", 7.74e9, 0.01e9},
    {"glm-4-9b", 9.40e9, 0.01e9},
    {"GLM-4-9B-0414", 9.40e9, 0.01e9},
    // The page's 110 468 824 832 have the layer that predicts, which repeats both of the ends.
    {"GLM-4.5-Air", 110'468'824'832 - 2'375'059'584 - 2 * 151'552.0 * 4096},
    {"MiniMax-M2", 229e9, 1e9},
    {"Nemotron-4-340B", 9.4e9 + 331.6e9, 0.2e9},  // arXiv 2406.11704, table 1
    {"Nemotron-H-8B", 8.10e9, 0.01e9},
    {"vit-base-patch16-224", 86.6e6, 0.1e6},
    {"DiT-XL-2-256", 675e6, 1e6},  // arXiv 2212.09748, table 4
    // 12 * 4096^2 in each of 32 layers, 50432 * 4096 words and 65 norms of 4096, none biased.
    {"mpt-7b", 32 * 12ll * 4096 * 4096 + (50'432 + 65) * 4096ll},
    {"mpt-7b-saved-by-transformers-5", 32 * 12ll * 4096 * 4096 + (50'432 + 65) * 4096ll},
    {"Qwen3-30B-A3B-saved-by-transformers-5", 30'532'122'624},
};

// All parameters and those that a token meets, counted by hand from the shapes in the files and equal to
// the checkpoints' metadata where that is known (of Nemotron Nano but for 23 * 128 biases of routers).
// Published: 46.7 and 12.9, 140.6 and 39.1, 30.5 and 3.3, 235 and 22, 480 and 35, 671 and 37, 1 040 and 32,
// 236 and 21, 15.7 and 2.4, 20.9 and 3.6, 116.8 and 5.1, 109 and 17 and 400 and 17 with 0.9 of vision,
// 31.6 and 3.6, 120 and 12, 550 and 55, 314 and 86 billion. DeepSeek-V3 is without what predicts.
struct PublishedExperts {
  const char* name;
  std::int64_t parameters, active;
};
constexpr PublishedExperts kExpertSizes[] = {
    {"Mixtral-8x7B-v0.1", 46'702'792'704, 12'879'925'248},
    {"Mixtral-8x22B-v0.1", 140'620'634'112, 39'152'031'744},
    {"Qwen3-30B-A3B", 30'532'122'624, 3'353'032'704},
    {"Qwen3-235B-A22B", 235'093'634'560, 22'190'763'520},
    {"Qwen3-Coder-480B-A35B-Instruct", 480'154'875'392, 35'474'765'312},
    {"DeepSeek-V3", 671'026'419'200, 37'552'297'472},
    {"Kimi-K2-Instruct", 1'026'408'232'448, 32'861'500'928},
    {"DeepSeek-V2", 235'741'434'880, 21'375'800'320},
    {"DeepSeek-V2-Lite", 15'706'484'224, 2'661'150'208},
    {"gpt-oss-20b", 20'914'757'184, 4'187'440'704},
    {"gpt-oss-120b", 116'829'156'672, 5'711'982'912},
    {"Llama-4-Scout-17B-16E-Instruct", 107'769'861'120, 17'172'894'720},
    {"Llama-4-Maverick-17B-128E-Instruct", 400'711'848'960, 17'184'691'200},
    {"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", 31'577'940'288, 3'580'076'352},
    {"NVIDIA-Nemotron-3-Super-120B-A12B-FP8", 120'668'707'840, 12'770'237'440},
    {"NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", 549'308'993'536, 56'058'843'136},
    {"grok-1", 315'684'820'992, 83'756'587'008},
};

TEST(Families, HaveThePublishedNumberOfParameters) {
  for (const PublishedSize& one : kSizes) {
    const Model model = read_family_config(one.name);
    const auto parameters = static_cast<double>(total_parameters(model));
    EXPECT_LE(std::abs(parameters - one.parameters), one.unit == 1 ? 0 : one.unit / 2)
        << one.name << ": " << total_parameters(model);
    EXPECT_LT(one.unit, 0.01 * one.parameters) << one.name;
  }
}

TEST(Families, OfExpertsHaveThePublishedNumbersOfParameters) {
  for (const PublishedExperts& one : kExpertSizes) {
    const Model model = read_family_config(one.name);
    EXPECT_EQ(total_parameters(model), one.parameters) << one.name;
    EXPECT_EQ(parameters_by_part(model).active, one.active) << one.name;
  }
}

// OpenAI's and DeepSeek's cards count the active ones without the embedding.
TEST(Families, AlsoCountActiveParametersWithoutWords) {
  for (const auto& [name, published] :
       {std::pair{"gpt-oss-120b", 5.13e9}, std::pair{"gpt-oss-20b", 3.61e9},
        std::pair{"DeepSeek-V2-Lite", 2.45e9}}) {
    const auto active =
        static_cast<double>(parameters_by_part(read_family_config(name)).active_without_words);
    EXPECT_NEAR(active, published, 0.005e9) << name;
  }
}

TEST(Families, EachHaveAModelWhosePublishedNumberIsTested) {
  std::set<std::string> numbered{"GLM-5"};
  for (const PublishedSize& one : kSizes) numbered.insert(one.name);
  for (const PublishedExperts& one : kExpertSizes) numbered.insert(one.name);
  std::set<std::string_view> titles;
  for (const auto& entry : std::filesystem::directory_iterator(family_configs())) {
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(numbered.count(name), 1u) << name;
    if (name == "GLM-5") continue;
    const std::string summary = read_family_config(name).summary;
    for (const ModelFamily* family : all_families()) {
      if (summary.starts_with(std::string(family->title) + ":")) titles.insert(family->title);
    }
  }
  for (const ModelFamily* family : all_families()) {
    EXPECT_TRUE(titles.contains(family->title)) << family->title;
  }
}

TEST(Families, HaveNamesOfTheirOwn) {
  std::set<std::string_view> seen;
  for (const ModelFamily* family : all_families()) {
    for (const auto& names : {family->architectures, family->text_parts, family->model_types}) {
      for (const std::string_view name : names) {
        EXPECT_TRUE(name.empty() || seen.insert(name).second) << name;
      }
    }
  }
}

// The part that indexes: queries from the latent ones, keys with a norm, and a weight for each head.
TEST(Families, OfSparseAttentionAreRefusedByItsKey) {
  const std::string text = text_of(family_configs() / "GLM-5/config.json");
  EXPECT_EQ(input_error_of([&] { static_cast<void>(parse_model(text, "x/config.json")); }),
            "x/config.json: unsupported: index_topk = 2048: sparse attention is not modelled");
  Json config = Json::parse(text);
  config.erase("index_topk");
  const std::int64_t index = 2048 * 32 * 128 + 6144 * 128 + 2 * 128 + 6144 * 32;
  const Model model = parse_model(config.dump(), "x/config.json");
  EXPECT_EQ(total_parameters(model) + 78 * index, 743'911'218'432);
  EXPECT_EQ(parameters_by_part(model).active + 78 * index, 41'784'728'832);
}

struct Ordered {
  const char* name;
  const char* order;  // empty: all alike
};
TEST(Families, HaveTheirLayersInOrder) {
  constexpr Ordered kOrders[] = {
      {"DeepSeek-V3", "full+dense*3 full+experts*"},
      {"Kimi-K2-Instruct", "full+dense full+experts*"},
      {"gpt-oss-20b", "window+experts full+experts"},
      {"Llama-4-Scout-17B-16E-Instruct", "window+experts*3 unplaced+experts"},
      {"Llama-4-Maverick-17B-128E-Instruct",
       "window+dense window+experts window+dense unplaced+experts"},
      {"gemma-2-9b", "window+dense full+dense"},
      {"gemma-3-1b", "window+dense*5 full+dense"},
      {"gemma-3-4b", "window+dense*5 full+dense"},
      {"c4ai-command-r7b-12-2024", "window+dense*3 unplaced+dense"},
      {"SmolLM3-3B", "full+dense*3 unplaced+dense"},
      {"Phi-3-mini-4k", "window+dense"},
      {"starcoder2-7b", "window+dense"},
      {"GLM-4.5-Air", "full+dense full+experts*"},
      {"Mixtral-8x7B-v0.1", ""},
      {"Qwen3-30B-A3B", ""},
      {"Meta-Llama-3-8B", ""}};
  for (const Ordered& one : kOrders) {
    EXPECT_EQ(order_text(read_family_config(one.name).order), one.order) << one.name;
  }
}

TEST(Families, ChooseGroupsOfExpertsUnlessGreedy) {
  const auto groups = [](const char* name) {
    const Model::Experts experts = read_family_config(name).experts;
    return std::pair(experts.groups, experts.top_groups);
  };
  EXPECT_EQ(groups("DeepSeek-V3"), std::pair(8, 4));
  EXPECT_EQ(groups("DeepSeek-V2"), std::pair(8, 3));
  EXPECT_EQ(groups("DeepSeek-V2-Lite"), std::pair(1, 1));
  EXPECT_EQ(groups("Kimi-K2-Instruct"), std::pair(1, 1));
}

TEST(Families, HaveTheirFeatures) {
  const Model deepseek = read_family_config("DeepSeek-V3");
  EXPECT_EQ(deepseek.latent, (Model::Latent{512, 1536, 64, 128}));
  EXPECT_EQ(deepseek.predictions, 1);
  EXPECT_EQ(read_family_config("DeepSeek-V2-Lite").latent.query_rank, 0);
  const Model nemotron = read_family_config("NVIDIA-Nemotron-3-Super-120B-A12B-FP8");
  EXPECT_EQ(nemotron.feed_forward_kind, Model::FeedForward::squared_relu);
  EXPECT_EQ(nemotron.prediction, (LayerKind{Mixer::full, Block::experts}));
  EXPECT_EQ(nemotron.experts.latent_width, 1024);
  EXPECT_EQ(nemotron.mamba, (Model::Mamba{128, 64, 128, 8, 4, 128}));
  const Model gpt_oss = read_family_config("gpt-oss-120b");
  EXPECT_TRUE(gpt_oss.sinks);
  EXPECT_EQ(gpt_oss.biases, Model::Biases::all);
  const Model scout = read_family_config("Llama-4-Scout-17B-16E-Instruct");
  EXPECT_EQ(scout.window_kind, Model::WindowKind::chunked);
  EXPECT_EQ(scout.query_key_norm_weights, Model::HeadNorm::none);
  EXPECT_FALSE(read_family_config("Llama-4-Maverick-17B-128E-Instruct").query_key_norm);
  const Model gemma2 = read_family_config("gemma-2-9b");
  EXPECT_TRUE(gemma2.attention_cap && gemma2.logit_cap && gemma2.tied_embeddings);
  EXPECT_EQ(gemma2.norm_place, Model::NormPlace::both);
  EXPECT_EQ(gemma2.feed_forward_kind, Model::FeedForward::geglu);
  EXPECT_TRUE(read_family_config("gemma-3-1b").query_key_norm);
  EXPECT_EQ(read_family_config("OLMo-7B").norm, Model::Norm::no_weights);
  EXPECT_EQ(read_family_config("OLMo-2-1124-7B").norm_place, Model::NormPlace::after);
  EXPECT_EQ(read_family_config("falcon-7b").kv_heads, 1);
  EXPECT_EQ(read_family_config("falcon-7b").blocks, Model::Blocks::parallel);
  EXPECT_EQ(read_family_config("falcon-40b").blocks, Model::Blocks::parallel_two_norms);
  const Model gpt_j = read_family_config("gpt-j-6b");
  EXPECT_EQ(gpt_j.biases, Model::Biases::feed_forward);
  EXPECT_DOUBLE_EQ(gpt_j.rotary_share, 0.25);
  EXPECT_DOUBLE_EQ(read_family_config("glm-4-9b").rotary_share, 0.5);
  EXPECT_DOUBLE_EQ(read_family_config("MiniMax-M2").rotary_share, 0.5);
  EXPECT_TRUE(read_family_config("bloom").embedding_norm);
  const Model opt = read_family_config("opt-6.7b");
  EXPECT_EQ(opt.feed_forward_kind, Model::FeedForward::relu);
  EXPECT_TRUE(opt.dropout);
  EXPECT_EQ(opt.attention_dropout, false);
  EXPECT_EQ(opt.position_table, 2050);
  EXPECT_TRUE(read_family_config("c4ai-command-r-v01").logit_scale);
  const Model vit = read_family_config("vit-base-patch16-224");
  EXPECT_EQ(vit.sequence, 14 * 14 + 1);
  EXPECT_FALSE(vit.causal);
  const Model dit = read_family_config("DiT-XL-2-256");
  const Model shipped = read_model(source_directory() / "traces/models/dit_xl.toml");
  EXPECT_EQ(total_parameters(dit), total_parameters(shipped));
  EXPECT_EQ(model_flop(dit, 1), model_flop(shipped, 1));
  EXPECT_EQ(dit.sequence, 16 * 16);
  EXPECT_EQ(dit.vision.conditions, 1001);
}

TEST(Families, AreReadWithAUsualSequence) {
  for (const auto& entry : std::filesystem::directory_iterator(family_configs())) {
    const std::string name = entry.path().filename().string();
    if (name == "GLM-5") continue;
    EXPECT_LE(read_family_config(name).sequence, 8192) << name;
  }
  EXPECT_EQ(read_family_config("Llama-3.1-405B").sequence, 8192);
  EXPECT_EQ(read_family_config("DeepSeek-V3").sequence, 4096);
}

}  // namespace
}  // namespace sim
