// SPDX-License-Identifier: Apache-2.0
// What a config.json is refused for: what is not modelled, not known, missing or wrong, each in a
// line of its own, and hostile text.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/workload/model.hpp"
#include "tests/input_errors.hpp"

namespace sim {
namespace {

using Json = nlohmann::json;

std::string config_error_of(const std::string& text, const std::vector<Setting>& settings = {}) {
  std::string error =
      input_error_of([&] { static_cast<void>(parse_model(text, "x/config.json", settings)); });
  expect_located(error, "x/config.json");
  return error;
}

Json config_file_of(const std::string& name) {
  return Json::parse(text_of(source_directory() / "tests/workload/configs" / name / "config.json"));
}

// Of the config.json with `patch` merged in.
std::string error_with(const std::string& name, const char* patch,
                       const std::vector<Setting>& settings = {}) {
  Json config = config_file_of(name);
  config.merge_patch(Json::parse(patch));
  return config_error_of(config.dump(), settings);
}

struct Refused {
  const char* name;
  const char* patch;
  const char* says;  // after "x/config.json: "
};

// Other programs make a path of it.
TEST(ConfigRefusals, AModelTypeIsAName) {
  for (const char* type : {R"("../../x")", R"("..")", R"("a/b")", R"("")", R"("a\u001b")", "5"}) {
    const std::string patch = std::string("{\"model_type\": ") + type + "}";
    const std::string error = error_with("Meta-Llama-3-8B", patch.c_str());
    EXPECT_TRUE(error.starts_with("x/config.json: model_type = ")) << error;
  }
  EXPECT_EQ(error_with("Meta-Llama-3-8B", R"({"model_type": "my-llama_2.5"})"), "");
  EXPECT_EQ(error_with("Meta-Llama-3-8B", R"({"model_type": null})"), "");
}

constexpr Refused kUnsupported[] = {
    {"Meta-Llama-3-8B", R"({"num_local_experts": 8})",
     "num_local_experts = 8: this family has no experts"},
    {"Meta-Llama-3-8B", R"({"kv_lora_rank": 512})",
     "kv_lora_rank = 512: latent attention is not modelled in this family"},
    {"Meta-Llama-3-8B", R"({"index_topk": 2048})",
     "index_topk = 2048: sparse attention is not modelled"},
    {"Meta-Llama-3-8B", R"({"linear_num_value_heads": 32})",
     "linear_num_value_heads = 32: linear attention is not modelled"},
    {"Meta-Llama-3-8B", R"({"vision_config": {"depth": 4}})",
     "vision_config = {...}: only text models are modelled"},
    {"Meta-Llama-3-8B", R"({"hidden_act": "relu"})",
     "hidden_act = \"relu\": only silu and gelu are modelled between gate and up"},
    {"Mistral-7B-v0.1", R"({"partial_rotary_factor": 0.5})",
     "partial_rotary_factor = 0.5: rotating only part of a head is not modelled in this family"},
    {"Mistral-7B-v0.1", R"({"final_logit_softcapping": 30.0})",
     "final_logit_softcapping = 30.0: soft-capping is not modelled in this family"},
    {"Meta-Llama-3-8B", R"({"layer_types": ["sliding_attention", "full_attention"]})",
     "layer_types = [\"sliding_attention\", \"full_attention\"]: attention other than "
     "full_attention is not modelled in this family"},
    {"Meta-Llama-3-8B", R"({"resid_pdrop": 0.1})",
     "resid_pdrop = 0.1: dropout outside of attention is not modelled in this family"},
    {"Meta-Llama-3-8B", R"({"use_qk_norm": true})",
     "use_qk_norm = true: this family has no query and key norms"},
    {"gpt2", R"({"activation_function": "tanh"})",
     "activation_function = \"tanh\": only gelu, relu and relu2 are modelled in a block without a "
     "gate"},
    {"gpt2", R"({"resid_pdrop": 0.0})",
     "embd_pdrop = 0.1: dropout of embeddings alone is not modelled"},
    {"gpt2", R"({"reorder_and_upcast_attn": true})",
     "reorder_and_upcast_attn = true: attention in FP32 is not modelled"},
    {"gpt2", R"({"add_cross_attention": true})",
     "add_cross_attention = true: encoders are not modelled"},
    {"mpt-7b", R"({"attn_config": {"clip_qkv": 6}})",
     "attn_config.clip_qkv = 6: a pass that clips queries, keys and values is not modelled"},
    {"mpt-7b", R"({"attn_config": {"qk_ln": true}})",
     "attn_config.qk_ln = true: this kind of query and key norm is not modelled"},
    {"mpt-7b", R"({"attn_config": {"sliding_window_size": 512}})",
     "attn_config.sliding_window_size = 512: sliding windows are not modelled"},
    {"mpt-7b", R"({"attn_config": {"attn_type": "linear"}})",
     "attn_config.attn_type = \"linear\": only multi-head, grouped-query and multi-query attention "
     "are modelled"},
    {"mpt-7b", R"({"ffn_config": {"ffn_type": "mptglu"}})",
     "ffn_config.ffn_type = \"mptglu\": mptmlp is the only block modelled"},
    {"mpt-7b", R"({"norm_type": "tensornorm"})",
     "norm_type = \"tensornorm\": only layer norm and RMS norm are modelled"}};

TEST(ConfigRefusals, NameWhatIsNotModelled) {
  for (const Refused& one : kUnsupported) {
    EXPECT_EQ(error_with(one.name, one.patch),
              fmt::format("x/config.json: unsupported: {}", one.says));
  }
}

TEST(ConfigRefusals, OfAnotherFamilyListThoseThatAreRead) {
  for (const auto& [patch, says] :
       {std::pair{R"({"architectures": ["FooForCausalLM"]})",
                  "architectures = [\"FooForCausalLM\"]: is not of a family that is read: "},
        std::pair{R"({"architectures": null, "model_type": "mamba"})",
                  "model_type = \"mamba\": is not of a family that is read: "}}) {
    const std::string error = error_with("Meta-Llama-3-8B", patch);
    EXPECT_TRUE(error.starts_with(std::string("x/config.json: unsupported: ") + says)) << error;
    EXPECT_NE(error.find(", Llama, "), std::string::npos) << error;
    EXPECT_EQ(lines_of(error).size(), 1u);
  }
}

constexpr Refused kWrong[] = {
    {"gpt2", R"({"foo": 3})",
     "unknown key foo = 3: remove the key if it does not change the arithmetic"},
    {"mpt-7b", R"({"attn_config": {"foo": [1]}})",
     "unknown key attn_config.foo = [1]: remove the key if it does not change the arithmetic"},
    {"mpt-7b", R"({"attn_config.alibi": false})",
     "unknown key attn_config.alibi = false: remove the key if it does not change the arithmetic"},
    {"gpt2", R"({"n_embd": null})", "missing key n_embd"},
    {"gpt2", R"({"n_embd": "768"})", "n_embd = \"768\": is not a whole number from 1 to 1000000"},
    {"gpt2", R"({"n_embd": [768, [1]]})",
     "n_embd = [768, [...]]: is not a whole number from 1 to 1000000"},
    {"gpt2", R"({"n_layer": 1.5})", "n_layer = 1.5: is not a whole number from 1 to 10000"},
    {"gpt2", R"({"n_layer": 0})", "n_layer = 0: is not a whole number from 1 to 10000"},
    {"gpt2", R"({"n_layer": -2})", "n_layer = -2: is not a whole number from 1 to 10000"},
    {"gpt2", R"({"vocab_size": 1e300})",
     "vocab_size = 1e+300: is not a whole number from 1 to 100000000"},
    {"gpt2", R"({"vocab_size": 18446744073709551615})",
     "vocab_size = 18446744073709551615: is not a whole number from 1 to 100000000"},
    {"gpt2", R"({"n_head": 7})", "n_head = 7: does not divide n_embd = 768"},
    {"gpt2", R"({"resid_pdrop": "x"})",
     "resid_pdrop = \"x\": is not a number from 0 to 1000000000"},
    {"gpt2", R"({"tie_word_embeddings": 1})", "tie_word_embeddings = 1: is not true or false"},
    {"gpt2", R"({"activation_function": 5})", "activation_function = 5: is not a string"},
    {"gpt2", R"({"architectures": "GPT2LMHeadModel"})",
     "architectures = \"GPT2LMHeadModel\": is not a list of one string"},
    {"gpt2", R"({"architectures": null, "model_type": null})", "missing key architectures"},
    {"Meta-Llama-3-8B", R"({"num_key_value_heads": 3})",
     "num_key_value_heads = 3: does not divide num_attention_heads = 32"},
    {"DeepSeek-V3", R"({"n_group": 7})", "n_group = 7: does not divide n_routed_experts = 256"},
    {"DeepSeek-V3", R"({"topk_group": 9})", "topk_group = 9: is more than n_group = 8"},
    {"DeepSeek-V3", R"({"n_group": 256})",
     "topk_group = 4: groups have fewer than num_experts_per_tok = 8"},
    {"mpt-7b", R"({"attn_config": 5})", "attn_config = 5: is not an object"},
    {"mpt-7b", R"({"expansion_ratio": 1.00001})",
     "expansion_ratio = 1.00001: times d_model = 4096 is not a whole number from 1 to 10000000"},
    {"mpt-7b", R"({"expansion_ratio": 1e9})",
     "expansion_ratio = 1000000000.0: times d_model = 4096 is not a whole number from 1 to "
     "10000000"},
    {"mpt-7b", R"({"attn_config": {"attn_type": "grouped_query_attention", "kv_n_heads": 5}})",
     "attn_config.kv_n_heads = 5: does not divide n_heads = 32"}};

TEST(ConfigRefusals, NameWhatIsWrong) {
  for (const Refused& one : kWrong) {
    EXPECT_EQ(error_with(one.name, one.patch), fmt::format("x/config.json: {}", one.says));
  }
}

TEST(ConfigRefusals, OfASequenceSayTheLongestThatIsTaken) {
  const std::vector<Setting> settings{{"model.sequence", "4097"}};
  EXPECT_EQ(error_with("Llama-2-7b-hf", "{}", settings),
            "x/config.json: max_position_embeddings = 4096: is less than the sequence of 4097; "
            "pass `sequence`, at most 4096");
  // The last setting counts, as TOML spells it.
  EXPECT_EQ(
      error_with("Llama-2-7b-hf", "{}", {{"model.sequence", "1"}, {"model.sequence", "0x1001"}}),
      "x/config.json: max_position_embeddings = 4096: is less than the sequence of 4097; "
      "pass `sequence`, at most 4096");
  EXPECT_EQ(error_with("gpt2", "{}", settings),
            "`set` model.sequence: 4097 is more than the position_table of 1024; write at most "
            "that, or set the table too");
}

TEST(ConfigRefusals, OfSettingsNameTheSetting) {
  EXPECT_EQ(error_with("gpt2", "{}", {{"model.sequence", "nan"}}),
            "`set` model.sequence: is a number with a fraction; write a whole number without "
            "quotes, e.g. 8");
  EXPECT_EQ(error_with("gpt2", "{}", {{"model.n_embd", "5"}}).rfind("`set` model.n_embd: unkn", 0),
            0u);
  // A key of the file that no longer fits has no line there.
  EXPECT_EQ(error_with("Meta-Llama-3-8B", "{}", {{"model.heads", "12"}}),
            "x/config.json: kv_heads: 8 does not divide heads = 12; write a divisor");
}

TEST(ConfigRefusals, AreAllGivenAtOnce) {
  const std::string error = error_with("Mistral-7B-v0.1", R"({
      "num_local_experts": 8, "num_experts_per_tok": 2, "foo": 0.02})");
  const auto lines = lines_of(error);
  ASSERT_EQ(lines.size(), 3u) << error;
  EXPECT_EQ(lines[0],
            "x/config.json: unsupported: num_local_experts = 8: this family has no experts");
  EXPECT_EQ(lines_of(error_with("gpt2", R"({"n_embd": null, "n_layer": "x", "foo": 1,
      "num_experts": 4, "attn_pdrop": true})"))
                .size(),
            5u);
}

TEST(ConfigRefusals, OfEveryMissingShapeNameTheKey) {
  const std::vector<Setting> settings{{"model.sequence", "16"}};
  for (const char* name :
       {"Meta-Llama-3-8B", "Mistral-7B-v0.1", "Qwen2.5-7B", "Qwen3-8B-Base", "gpt2", "mpt-7b"}) {
    const Json config = config_file_of(name);
    int required = 0;
    for (const auto& [key, value] : config.items()) {
      Json without = config;
      without.erase(key);
      const std::string error = config_error_of(without.dump(), settings);
      if (error.empty()) continue;
      ++required;
      EXPECT_NE(error.find("x/config.json: missing key " + key), std::string::npos) << error;
    }
    EXPECT_GE(required, 5) << name;
  }
}

TEST(ConfigRefusals, OfHostileTextHaveOneLine) {
  const std::string deep(50'000, '[');
  const std::string closed(50'000, ']');
  for (const std::string& text :
       {std::string(), std::string("["), std::string("[]"), std::string("null"), std::string("5"),
        std::string("\"x\""), std::string("{]"), std::string("{\"a\": 1e999}"),
        std::string("{\"a\": \"\xff\"}"), std::string("{\"a\": 1, \"a\": 1}"), deep, deep + closed,
        std::string(2 << 20, ' ')}) {
    EXPECT_EQ(lines_of(config_error_of(text)).size(), 1u) << text.substr(0, 50);
  }
  EXPECT_EQ(config_error_of("[]"),
            "x/config.json: is not a JSON object; specify a model's config.json");
  EXPECT_EQ(config_error_of("{\"architectures\": [[\"GPT2LMHeadModel\"]]}"),
            "x/config.json: architectures = [[...]]: is not a list of one string");
  EXPECT_EQ(config_error_of("{\"architectures\": [\"GPT2LMHeadModel\"], \"n_embd\": " + deep +
                            closed + "}"),
            "x/config.json: /: is nested too deeply");
}

// Python writes them where nothing sensible was known.
TEST(ConfigRefusals, OfANumberThatIsNotFiniteNameTheKey) {
  const std::string text = config_file_of("gpt2").dump();
  const auto with = [&](const std::string& member) {
    return config_error_of("{" + member + "," + text.substr(1));
  };
  EXPECT_EQ(
      with(R"("foo": [0.0, Infinity])"),
      "x/config.json: unknown key foo = [0.0, Infinity]: remove the key if it does not change "
      "the arithmetic");
  EXPECT_EQ(with(R"("num_experts": NaN)"),
            "x/config.json: unsupported: num_experts = NaN: this family has no experts");
  EXPECT_EQ(with(R"("n_inner": -Infinity)"),
            "x/config.json: n_inner = -Infinity: is not a whole number from 1 to 10000000");
}

TEST(ConfigRefusals, OfAHundredThousandUnknownKeysEnd) {
  Json config = config_file_of("gpt2");
  for (int i = 0; i < 50'000; ++i) config["k" + std::to_string(i)] = 1;
  const auto lines = lines_of(config_error_of(config.dump()));
  EXPECT_EQ(lines.size(), 101u);
  EXPECT_EQ(lines.back(), "x/config.json: more than 100 problems; the rest are omitted");
}

}  // namespace
}  // namespace sim
