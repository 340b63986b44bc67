// SPDX-License-Identifier: Apache-2.0
// MPT, as MosaicML's code and as transformers write it.
#include <fmt/format.h>

#include <cmath>

#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

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
  if (config.number_or("attn_pdrop", 0) > 0) model.attention_dropout = true;
  config.not_modelled("is_encoder_decoder", "encoders are not modelled");
  config.not_modelled("clip_qkv", "a pass that clips queries, keys and values is not modelled");
  config.not_modelled("prefix_lm", "attention to later tokens is not modelled");
  config.not_modelled("attn_logit_softcapping", "soft-capping is not modelled");
  for (const char* key : {"qk_ln", "qk_gn"}) {
    config.not_modelled(key, "this kind of query and key norm is not modelled");
  }
  config.not_modelled("sliding_window_size", "sliding windows are not modelled", -1);
  config.ignore({"attn_impl", "alibi_bias_max", "attn_uses_sequence_id", "softmax_scale",
                 "fused_qkv", "rope_theta", "rope_impl", "rope_dail_config", "rope_hf_config",
                 "kv_n_heads", "kv_dim", "attn_temperature_tuning"});
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
  config.not_modelled("attention_bias", "biases are of all layers or of none in this family");
  config.not_modelled("block_overrides", "blocks that differ are not modelled");
  config.inside("ffn_config", [&] {
    config.not_modelled("ffn_type", "mptmlp is the only block modelled", "mptmlp");
    config.ignore({"fc_type"});
  });
  config.ignore({"embedding_fraction", "init_config", "init_device", "verbose", "fc_type",
                 "use_pad_tok_in_ffn"});
}

void read_mpt(ConfigReader& config, std::optional<int> given, Model& model) {
  read_shape(config, model, {.layers = "n_layers", .hidden = "d_model", .heads = "n_heads"});
  model.feed_forward = mpt_feed_forward(config, model);
  const bool biases = !config.flag_or("no_bias", false);
  if (biases) model.biases = Model::Biases::all;
  read_mpt_norm(config, biases, model);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.logit_scale = config.is_something("logit_scale");
  const bool learned = config.flag_or("learned_pos_emb", true);
  config.inside("attn_config", [&] { read_mpt_attention(config, model); });
  const int longest = config.count("max_seq_len", kTokens);
  set_sequence(config, "max_seq_len", longest, given, model);
  if (model.positions == Model::Positions::learned && !learned) {
    model.positions = Model::Positions::none;
  }
  if (model.positions == Model::Positions::learned) model.position_table = longest;
  note_mpt_unmodelled(config);
}

}  // namespace

constexpr ModelFamily mpt{.title = "MPT",
                          .architectures = {"MPTForCausalLM", "MptForCausalLM"},
                          .model_types = {"mpt"},
                          .text_parts = {},
                          .read = read_mpt};

}  // namespace sim::families
