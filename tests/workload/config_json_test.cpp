// SPDX-License-Identifier: Apache-2.0
// The config.json of each family gives the model that its authors publish.
#include "sim/workload/config_json.hpp"

#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <string>

#include "sim/workload/parameters.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

using Json = nlohmann::json;

std::filesystem::path config_of(const std::string& name) {
  return source_directory() / "tests/workload/configs" / name / "config.json";
}

// With a sequence that each of them takes.
Model read_config(const std::string& name) {
  const std::array settings{Setting{"model.sequence", "1024"}};
  return read_model(config_of(name), settings);
}

TEST(ConfigJson, GivesTheModelThatShipsAsToml) {
  for (const auto& [config, shipped] :
       {std::pair{"Llama-2-7b-hf", "llama_2_7b"},
        std::pair{"Llama-2-13b-hf", "llama_2_13b"},
        std::pair{"Llama-2-70b-hf", "llama_2_70b"},
        std::pair{"Meta-Llama-3-8B", "llama_3_8b"},
        std::pair{"Meta-Llama-3-70B", "llama_3_70b"},
        std::pair{"Llama-3.1-405B", "llama_3.1_405b"},
        std::pair{"Llama-3.2-1B", "llama_3.2_1b"},
        std::pair{"Mistral-7B-v0.1", "mistral_7b"},
        std::pair{"Llama-4-Maverick-17B-128E-Instruct", "llama_4_maverick"},
        std::pair{"Mixtral-8x7B-v0.1", "mixtral_8x7b"},
        std::pair{"Mixtral-8x22B-v0.1", "mixtral_8x22b"},
        std::pair{"Qwen2.5-7B", "qwen2.5_7b"},
        std::pair{"Qwen3-8B-Base", "qwen3_8b"},
        std::pair{"Qwen3-30B-A3B", "qwen3_30b_a3b"},
        std::pair{"Qwen3-235B-A22B", "qwen3_235b_a22b"},
        std::pair{"DeepSeek-V2", "deepseek_v2"},
        std::pair{"DeepSeek-V2-Lite", "deepseek_v2_lite"},
        std::pair{"DeepSeek-V3", "deepseek_v3"},
        std::pair{"Kimi-K2-Instruct", "kimi_k2"},
        std::pair{"gpt-oss-20b", "gpt_oss_20b"},
        std::pair{"gpt-oss-120b", "gpt_oss_120b"},
        std::pair{"grok-1", "grok_1"},
        std::pair{"NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron_3_nano"},
        std::pair{"Nemotron-4-340B", "nemotron_4_340b"}}) {
    SCOPED_TRACE(config);
    const Model model = read_config(config);
    const Model toml =
        read_model(source_directory() / "traces/models" / (std::string(shipped) + ".toml"),
                   std::array{Setting{"model.sequence", "1024"}});
    EXPECT_EQ(total_parameters(model), total_parameters(toml));
    EXPECT_EQ(model_flop(model, 1), model_flop(toml, 1)) << config;
    EXPECT_EQ(model.layers, toml.layers);
    EXPECT_EQ(model.heads, toml.heads);
    EXPECT_EQ(model.kv_heads, toml.kv_heads);
    EXPECT_EQ(model.head_width, toml.head_width);
    EXPECT_EQ(model.dropout, toml.dropout);
    EXPECT_EQ(model.positions, toml.positions);
  }
}

TEST(ConfigJson, OfEachFamilyHasItsFeatures) {
  const Model qwen2 = read_config("Qwen2.5-7B");
  EXPECT_EQ(qwen2.biases, Model::Biases::qkv);
  EXPECT_FALSE(qwen2.query_key_norm);
  const Model qwen3 = read_config("Qwen3-0.6B-Base");
  EXPECT_EQ(query_width(qwen3), 2 * qwen3.hidden);
  EXPECT_EQ(key_width(qwen3), 1024);
  EXPECT_TRUE(qwen3.query_key_norm);
  EXPECT_TRUE(qwen3.tied_embeddings);
  const Model mistral = read_config("Mistral-Nemo-Base-2407");
  EXPECT_EQ(mistral.head_width, 128);  // not 5120 / 32
  EXPECT_EQ(mistral.feed_forward_kind, Model::FeedForward::swiglu);
  const Model gpt2 = read_config("gpt2");
  EXPECT_EQ(gpt2.biases, Model::Biases::all);
  EXPECT_EQ(gpt2.norm, Model::Norm::layer_norm);
  EXPECT_EQ(gpt2.feed_forward, 4 * 768);
  EXPECT_EQ(gpt2.feed_forward_kind, Model::FeedForward::gelu);
  EXPECT_TRUE(gpt2.dropout);
  const Model mpt = read_config("mpt-7b");
  EXPECT_EQ(mpt.positions, Model::Positions::alibi);
  EXPECT_EQ(mpt.norm, Model::Norm::layer_norm_no_bias);
  EXPECT_EQ(mpt.biases, Model::Biases::none);
  EXPECT_FALSE(mpt.dropout);
}

// The model of the config.json with `patch` merged in.
Model patched(const std::string& name, const char* patch,
              const std::vector<Setting>& settings = {}) {
  Json config = Json::parse(text_of(config_of(name)));
  config.merge_patch(Json::parse(patch));
  return parse_model(config.dump(), "folder/config.json", settings);
}

TEST(ConfigJson, HasWindowsThatHideTokens) {
  const Model mistral = patched("Mistral-7B-v0.1", "{}", {{"model.sequence", "32768"}});
  EXPECT_EQ(mistral.window, 4096);
  EXPECT_EQ(order_text(mistral.order), "window+dense");
  EXPECT_EQ(total_parameters(mistral), 7'241'732'096);
  EXPECT_EQ(patched("Mistral-7B-v0.1", R"({"sliding_window": 32768})").window, 0);
  // Layers of Qwen2 from a certain one on.
  const Model qwen = patched("Qwen2.5-7B", R"({"use_sliding_window": true, "sliding_window": 4096,
      "max_window_layers": 21})");
  EXPECT_EQ(order_text(qwen.order), "full+dense*21 window+dense*");
  EXPECT_EQ(qwen.window, 4096);
}

TEST(ConfigJson, OfACheckpointSaysThatItsQuantizationIsReadOver) {
  const Model model = patched("Meta-Llama-3-8B", R"({"quantization_config": {"bits": 4}})");
  EXPECT_EQ(total_parameters(model), 8'030'261'248);
  EXPECT_EQ(model.summary, "Llama: 32 layers of 4096, sequence 8192, quantization read over");
}

TEST(ConfigJson, WithoutRopeOrAlibiOfMptHasATable) {
  const Model learned = patched("mpt-7b", R"({"attn_config": null, "no_bias": false})");
  EXPECT_EQ(learned.positions, Model::Positions::learned);
  EXPECT_EQ(learned.position_table, 2048);
  EXPECT_EQ(learned.biases, Model::Biases::all);
  EXPECT_EQ(learned.norm, Model::Norm::layer_norm);
  // The benchmark's 7B, as MosaicML llm-foundry counts it (scripts/train/benchmarking/README.md).
  EXPECT_EQ(total_parameters(patched(
                "mpt-7b", R"({"attn_config": null, "no_bias": false, "vocab_size": 50368})")),
            6'658'859'008);
  const Model rope = patched("mpt-7b", R"({"attn_config": {"alibi": false, "rope": true}})");
  EXPECT_EQ(rope.positions, Model::Positions::rotary);
  const Model one = patched("mpt-7b", R"({"attn_config": {"attn_type": "multiquery_attention"}})");
  EXPECT_EQ(one.kv_heads, 1);
  const Model groups = patched(
      "mpt-7b", R"({"attn_config": {"attn_type": "grouped_query_attention", "kv_n_heads": 8}})");
  EXPECT_EQ(groups.kv_heads, 8);
  EXPECT_EQ(patched("mpt-7b", R"({"norm_type": "rmsnorm"})").norm, Model::Norm::rms_norm);
  EXPECT_EQ(patched("mpt-7b", R"({"expansion_ratio": 2.5})").feed_forward, 10'240);
}

TEST(ConfigJson, TakesWhatTheFamilyLeavesUnsaid) {
  // Heads of hidden / heads that are not shared, and an output projection of its own.
  const Model llama = patched(
      "Meta-Llama-3-8B",
      R"({"num_key_value_heads": null, "tie_word_embeddings": null, "attention_bias": null})");
  EXPECT_EQ(llama.kv_heads, 32);
  EXPECT_EQ(llama.head_width, 128);
  EXPECT_FALSE(llama.tied_embeddings);
  EXPECT_EQ(patched("Llama-2-7b-hf", R"({"attention_bias": true, "mlp_bias": true})").biases,
            Model::Biases::all);
  EXPECT_EQ(patched("Llama-2-7b-hf", R"({"attention_bias": true})").biases,
            Model::Biases::attention);
  EXPECT_EQ(patched("gpt2", R"({"n_inner": 1000})").feed_forward, 1000);
  EXPECT_FALSE(
      patched("gpt2", R"({"attn_pdrop": 0, "embd_pdrop": 0, "resid_pdrop": 0.0})").dropout);
  EXPECT_EQ(patched("gpt2", R"({"attn_pdrop": 0.0})").attention_dropout, false);
  EXPECT_EQ(patched("gpt2", "{}").attention_dropout, std::nullopt);
  EXPECT_EQ(patched("Llama-2-7b-hf", R"({"attention_dropout": 0.1})").attention_dropout, true);
}

TEST(ConfigJson, PassesOverWhatChangesNothing) {
  const Model plain = patched("Qwen2.5-7B", R"({"max_position_embeddings": 4096})");
  const Model more = patched("Qwen2.5-7B", R"({"max_position_embeddings": 4096,
      "layer_types": ["full_attention", "full_attention"], "quantization_config": null,
      "num_local_experts": 0, "rope_scaling": {"type": "yarn"}, "partial_rotary_factor": 1.0})");
  EXPECT_EQ(total_parameters(more), total_parameters(plain));
  EXPECT_EQ(model_flop(more, 1), model_flop(plain, 1));
}

TEST(ConfigJson, IsOfTheFamilyOfItsTypeWithoutArchitectures) {
  for (const char* name : {"Llama-2-7b-hf", "Mistral-Nemo-Base-2407", "Qwen2.5-7B", "Qwen3-8B-Base",
                           "gpt2", "mpt-7b"}) {
    const std::vector<Setting> sequence{{"model.sequence", "1024"}};
    EXPECT_EQ(total_parameters(patched(name, R"({"architectures": null})", sequence)),
              total_parameters(read_config(name)))
        << name;
  }
}

// As exporters and Python's json write them.
TEST(ConfigJson, PassesOverKeysOfOtherPrograms) {
  const Model plain = patched("Llama-2-7b-hf", "{}");
  const Model more = patched("Llama-2-7b-hf", R"({
      "transformers.js_config": {"dtype": "q4", "kv_cache_dtype": {"q4f16": "float16"}},
      "pad_token_id": 2, "mask_token_id": [1, 2], "use_cache": false, "cache_implementation": null,
      "resid_pdrop": 0.0, "hidden_dropout": 0, "classifier_dropout": 0.1, "temperature": 0.6,
      "is_decoder": true, "problem_type": null, "num_labels": 2, "unsloth_version": "2025.1"})");
  EXPECT_EQ(total_parameters(more), total_parameters(plain));
  EXPECT_EQ(model_flop(more, 1), model_flop(plain, 1));
  std::string text = text_of(config_of("Llama-2-7b-hf"));
  text.insert(text.find('{') + 1, R"("time_step_limit": [0.0, Infinity], "rope_theta": NaN,)");
  EXPECT_EQ(total_parameters(parse_model(text, "folder/config.json")), total_parameters(plain));
}

TEST(ConfigJson, IsTrainedOnAUsualSequence) {
  // On the longest that is at most 8192, and else on that before positions were extended, or 4096.
  EXPECT_EQ(read_model(config_of("Meta-Llama-3-8B")).sequence, 8192);
  EXPECT_EQ(read_model(config_of("gpt2")).sequence, 1024);
  EXPECT_EQ(read_model(config_of("Qwen3-8B-Base")).sequence, 4096);
  for (const auto& [rope, sequence] :
       {std::pair{R"({"original_max_position_embeddings": 8192})", 8192},
        std::pair{R"({"original_max_position_embeddings": 2048})", 2048},
        std::pair{R"({"original_max_position_embeddings": 65536})", 4096}, std::pair{"{}", 4096}}) {
    for (const char* key : {"rope_scaling", "rope_parameters"}) {
      const std::string patch =
          std::string(R"({"max_position_embeddings": 131072, ")") + key + "\": " + rope + "}";
      const Model model = patched("Meta-Llama-3-8B", patch.c_str());
      EXPECT_EQ(model.sequence, sequence) << patch;
      EXPECT_EQ(model.summary, "Llama: 32 layers of 4096, sequence " + std::to_string(sequence) +
                                   " of at most 131072");
    }
  }
  const Model longer = patched("Qwen3-8B-Base", "{}", {{"model.sequence", "32768"}});
  EXPECT_EQ(longer.sequence, 32'768);
  // A table of positions does not shrink with the sequence, and ALiBi has no longest one.
  EXPECT_EQ(patched("gpt2", "{}", {{"model.sequence", "512"}}).position_table, 1024);
  EXPECT_EQ(patched("mpt-7b", "{}", {{"model.sequence", "65536"}}).sequence, 65'536);
  EXPECT_EQ(patched("gpt2", "{}", {{"model.position_table", "2048"}, {"model.sequence", "2048"}})
                .sequence,
            2048);
}

TEST(ConfigJson, HasItsKeysReplacedAsAModelFileHas) {
  const Model model = patched(
      "Llama-2-7b-hf", "{}", {{"model.layers", "2"}, {"model.biases", "qkv"}, {"summary", "mine"}});
  EXPECT_EQ(model.layers, 2);
  EXPECT_EQ(model.biases, Model::Biases::qkv);
  EXPECT_EQ(model.summary, "mine");
}

TEST(ConfigJson, IsNamedAfterItsFolder) {
  const Model model = read_config("Llama-2-7b-hf");
  EXPECT_EQ(model.name, "Llama-2-7b-hf");
  EXPECT_EQ(model.file, "Llama-2-7b-hf/config.json");
  EXPECT_EQ(model.summary, "Llama: 32 layers of 4096, sequence 1024");
  const std::string text = text_of(config_of("gpt2"));
  EXPECT_EQ(parse_model(text, "models/mine.json").name, "mine");
  EXPECT_EQ(parse_model(text, "models/mine.json").file, "mine.json");
  EXPECT_EQ(parse_model(text, "a/b/../config.json").name, "a");
  EXPECT_EQ(parse_model(text, "/config.json").name, "config");
  EXPECT_EQ(parse_model(text, "config.json").name,
            std::filesystem::current_path().filename().string());
}

}  // namespace
}  // namespace sim
