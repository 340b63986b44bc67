// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/config_families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/workload/model_ranges.hpp"

namespace sim {
namespace {

// Models that take more tokens were trained on fewer at first: which is for the run to say.
constexpr int kLongestAssumed = 8'192;

constexpr const char* kBiasPatterns =
    "biases are modelled for queries, keys and values only, or for all matrices";

void check_divides(ConfigReader& config, std::string_view key, int part, std::string_view whole_key,
                   int whole) {
  if (config.all_good({key, whole_key}) && whole % part != 0) {
    config.wrong(key, fmt::format("does not divide {} = {}", whole_key, whole));
  }
}

// Of heads that share the hidden size.
int head_width(ConfigReader& config, std::string_view heads_key, std::string_view hidden_key,
               const Model& model) {
  check_divides(config, heads_key, model.heads, hidden_key, model.hidden);
  return std::max(model.hidden / model.heads, 1);
}

int trained_sequence(ConfigReader& config, std::string_view key, int longest, int most,
                     std::optional<int> given) {
  if (!given && longest > kLongestAssumed && config.all_good({key})) {
    config.wrong(
        key,
        fmt::format("is too long to assume as the training sequence; pass `sequence`, at most {}",
                    most));
  }
  return given.value_or(longest);
}

// Of rotary positions. A `window` of attention that hides no token of a sequence changes nothing.
void read_sequence(ConfigReader& config, std::optional<int> given, std::optional<int> window,
                   Model& model) {
  constexpr const char* kKey = "max_position_embeddings";
  const int longest = config.count(kKey, kTokens);
  const int most = std::min(longest, window.value_or(longest));
  model.sequence = trained_sequence(config, kKey, longest, most, given);
  const auto less = fmt::format("is less than the sequence of {}; pass `sequence`, at most {}",
                                model.sequence, most);
  if (!config.all_good({kKey})) return;
  if (model.sequence > longest) config.wrong(kKey, less);
  if (window && model.sequence > *window && config.all_good({"sliding_window"})) {
    config.unsupported("sliding_window", less);
  }
}

// Llama and its descendants: gated blocks, RMS norms, rotary positions.
void read_gated(ConfigReader& config, Model& model) {
  model.layers = config.count("num_hidden_layers", kLayers);
  model.hidden = config.count("hidden_size", kHidden);
  model.heads = config.count("num_attention_heads", kHeads);
  model.kv_heads = config.count_or("num_key_value_heads", kHeads, model.heads);
  check_divides(config, "num_key_value_heads", model.kv_heads, "num_attention_heads", model.heads);
  model.head_width = config.has("head_dim")
                         ? config.count("head_dim", kHeadWidth)
                         : head_width(config, "num_attention_heads", "hidden_size", model);
  model.feed_forward = config.count("intermediate_size", kFeedForwardWidth);
  model.feed_forward_kind = Model::FeedForward::swiglu;
  model.norm = Model::Norm::rms_norm;
  model.positions = Model::Positions::rotary;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  model.vocabulary = config.count("vocab_size", kTokens);
  if (config.text_or("hidden_act", "silu") != "silu") {
    config.unsupported("hidden_act", "only silu is modelled between gate and up");
  }
  config.not_modelled("attention_dropout", "dropout in attention alone is not modelled");
  for (const char* key : {"hidden_dropout", "embd_pdrop", "resid_pdrop"}) {
    config.not_modelled(key, "dropout outside of attention is not modelled in this family");
  }
}

void read_llama(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_sequence(config, given, std::nullopt, model);
  const bool attention = config.flag_or("attention_bias", false);
  const bool block = config.flag_or("mlp_bias", false);
  if (attention != block)
    config.unsupported(attention ? "attention_bias" : "mlp_bias", kBiasPatterns);
  if (attention && block) model.biases = Model::Biases::all;
}

// Where a key is missing, this family's code takes a number that suits one size of model.
void read_mistral(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");
  read_gated(config, model);
  std::optional<int> window;
  if (config.require("sliding_window") && config.has("sliding_window")) {
    window = config.count("sliding_window", kTokens);
  }
  read_sequence(config, given, window, model);
}

void read_qwen(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");  // as for Mistral
  read_gated(config, model);
  std::optional<int> window;
  if (config.flag_or("use_sliding_window", false)) window = config.count("sliding_window", kTokens);
  config.ignore(std::array<std::string_view, 2>{"sliding_window", "max_window_layers"});
  read_sequence(config, given, window, model);
}

void read_qwen2(ConfigReader& config, std::optional<int> given, Model& model) {
  read_qwen(config, given, model);
  model.biases = Model::Biases::qkv;
}

void read_qwen3(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("head_dim");
  read_qwen(config, given, model);
  config.not_modelled("attention_bias", kBiasPatterns);
  model.query_key_norm = true;
}

// All of the three dropouts, or none.
bool gpt2_dropout(ConfigReader& config) {
  constexpr std::array kKeys{"attn_pdrop", "embd_pdrop", "resid_pdrop"};
  std::array<bool, kKeys.size()> drops{};
  std::ranges::transform(kKeys, drops.begin(),
                         [&](const char* key) { return config.number_or(key, 0.1) > 0; });
  const bool any = std::ranges::count(drops, true) > 0;
  for (std::size_t i = 0; i < kKeys.size(); ++i) {
    if (any && !drops[i]) {
      config.unsupported(kKeys[i], "dropout is modelled everywhere, or nowhere");
    }
  }
  return any;
}

void read_gpt2(ConfigReader& config, std::optional<int> given, Model& model) {
  model.layers = config.count("n_layer", kLayers);
  model.hidden = config.count("n_embd", kHidden);
  model.heads = model.kv_heads = config.count("n_head", kHeads);
  model.head_width = head_width(config, "n_head", "n_embd", model);
  model.feed_forward = config.count_or("n_inner", kFeedForwardWidth, 4 * model.hidden);
  model.position_table = config.count("n_positions", kTokens);
  model.biases = Model::Biases::all;
  model.dropout = gpt2_dropout(config);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.vocabulary = config.count("vocab_size", kTokens);
  model.sequence =
      trained_sequence(config, "n_positions", model.position_table, model.position_table, given);
  constexpr std::array kGelus{"gelu_new", "gelu", "gelu_fast", "gelu_pytorch_tanh"};
  if (std::ranges::count(kGelus, config.text_or("activation_function", "gelu_new")) == 0) {
    config.unsupported("activation_function", "gelu is the only activation modelled");
  }
  config.not_modelled("reorder_and_upcast_attn", "attention in FP32 is not modelled");
  config.ignore(std::array<std::string_view, 11>{
      "n_ctx", "n_special", "predict_special_tokens", "output_past",
      "scale_attn_by_inverse_layer_idx", "scale_attn_weights", "summary_activation",
      "summary_first_dropout", "summary_proj_to_labels", "summary_type", "summary_use_proj"});
}

void read_mpt_attention(ConfigReader& config, Model& model) {
  const std::string type = config.text_or("attn_type", "multihead_attention");
  if (type == "multiquery_attention") {
    model.kv_heads = 1;
  } else if (type == "grouped_query_attention") {
    model.kv_heads = config.count("kv_n_heads", kHeads);
    check_divides(config, "kv_n_heads", model.kv_heads, "n_heads", model.heads);
  } else if (type != "multihead_attention") {
    config.unsupported("attn_type",
                       "only multi-head, grouped-query and multi-query attention are modelled");
  }
  if (config.flag_or("rope", false)) model.positions = Model::Positions::rotary;
  if (config.flag_or("alibi", false)) model.positions = Model::Positions::alibi;
  config.not_modelled("attn_pdrop", "dropout in attention alone is not modelled");
  config.not_modelled("clip_qkv", "a pass that clips queries, keys and values is not modelled");
  config.not_modelled("prefix_lm", "attention to later tokens is not modelled");
  config.not_modelled("attn_logit_softcapping", "soft-capping is not modelled");
  for (const char* key : {"qk_ln", "qk_gn"}) {
    config.not_modelled(key, "this kind of query and key norm is not modelled");
  }
  config.not_modelled("sliding_window_size", "sliding windows are not modelled", -1);
  config.ignore(std::array<std::string_view, 12>{
      "attn_impl", "alibi_bias_max", "attn_uses_sequence_id", "softmax_scale", "fused_qkv",
      "rope_theta", "rope_impl", "rope_dail_config", "rope_hf_config", "kv_n_heads", "kv_dim",
      "attn_temperature_tuning"});
}

void read_mpt_norm(ConfigReader& config, bool biases, Model& model) {
  const std::string norm = config.text_or("norm_type", "low_precision_layernorm");
  if (norm == "rmsnorm" || norm == "low_precision_rmsnorm") {
    model.norm = Model::Norm::rms_norm;
  } else if (norm == "layernorm" || norm == "low_precision_layernorm") {
    model.norm = biases ? Model::Norm::layer_norm : Model::Norm::layer_norm_no_bias;
  } else {
    config.unsupported("norm_type", "only layer norm and RMS norm are modelled");
  }
}

// The width of a block is d_model times a number that may have a fraction.
int mpt_feed_forward(ConfigReader& config, const Model& model) {
  constexpr const char* kKey = "expansion_ratio";
  const double width = config.number_or(kKey, 4) * model.hidden;
  if (!config.all_good({kKey, "d_model"})) return 1;
  if (width < 1 || width > static_cast<double>(kFeedForwardWidth.highest) ||
      width != std::floor(width)) {
    config.wrong(kKey, fmt::format("times d_model = {} is not a whole number from 1 to {}",
                                   model.hidden, kFeedForwardWidth.highest));
    return 1;
  }
  return static_cast<int>(width);
}

void note_mpt_unmodelled(ConfigReader& config) {
  for (const char* key : {"resid_pdrop", "emb_pdrop"}) {
    config.not_modelled(key, "dropout in MPT is not modelled");
  }
  config.not_modelled("attention_bias", kBiasPatterns);
  config.not_modelled("logit_scale", "a pass that scales the logits is not modelled");
  config.not_modelled("block_overrides", "blocks that differ are not modelled");
  config.inside("ffn_config", [&] {
    config.not_modelled("ffn_type", "mptmlp is the only block modelled", "mptmlp");
    config.ignore(std::array<std::string_view, 1>{"fc_type"});
  });
  config.ignore(std::array<std::string_view, 6>{"embedding_fraction", "init_config", "init_device",
                                                "verbose", "fc_type", "use_pad_tok_in_ffn"});
}

void read_mpt(ConfigReader& config, std::optional<int> given, Model& model) {
  model.layers = config.count("n_layers", kLayers);
  model.hidden = config.count("d_model", kHidden);
  model.heads = model.kv_heads = config.count("n_heads", kHeads);
  model.head_width = config.has("head_dim") ? config.count("head_dim", kHeadWidth)
                                            : head_width(config, "n_heads", "d_model", model);
  model.feed_forward = mpt_feed_forward(config, model);
  const bool biases = !config.flag_or("no_bias", false);
  if (biases) model.biases = Model::Biases::all;
  read_mpt_norm(config, biases, model);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.vocabulary = config.count("vocab_size", kTokens);
  const bool learned = config.flag_or("learned_pos_emb", true);
  config.inside("attn_config", [&] { read_mpt_attention(config, model); });
  const int longest = config.count("max_seq_len", kTokens);
  model.sequence = trained_sequence(config, "max_seq_len", longest, longest, given);
  if (model.positions == Model::Positions::learned) {
    model.position_table = longest;
    if (!learned)
      config.unsupported("learned_pos_emb", "models without position encodings are not modelled");
  }
  note_mpt_unmodelled(config);
}

constexpr std::array kFamilies{
    ModelFamily{"LlamaForCausalLM", "llama", "Llama", read_llama},
    ModelFamily{"MistralForCausalLM", "mistral", "Mistral", read_mistral},
    ModelFamily{"Qwen2ForCausalLM", "qwen2", "Qwen2", read_qwen2},
    ModelFamily{"Qwen3ForCausalLM", "qwen3", "Qwen3", read_qwen3},
    ModelFamily{"GPT2LMHeadModel", "gpt2", "GPT-2", read_gpt2},
    ModelFamily{"MPTForCausalLM", "mpt", "MPT", read_mpt}};

}  // namespace

std::span<const ModelFamily> all_families() { return kFamilies; }

}  // namespace sim
