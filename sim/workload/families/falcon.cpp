// SPDX-License-Identifier: Apache-2.0
// Falcon: 7B, 40B and 180B, and RefinedWeb's models with ALiBi.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

constexpr const char* kNewDecoder = "new_decoder_architecture";

// One head of keys for all, some, or each its own.
void read_falcon_heads(ConfigReader& config, bool is_new, Model& model) {
  const bool one = config.flag_or("multi_query", true);
  const int groups = config.count_or("num_kv_heads", kHeads, model.heads);
  if (is_new) {
    model.kv_heads = groups;
    check_divides(config, "num_kv_heads", groups, "num_attention_heads", model.heads);
  } else {
    model.kv_heads = one ? 1 : model.heads;
  }
}

void read_falcon(ConfigReader& config, std::optional<int> given, Model& model) {
  read_shape(config, model);
  const bool is_new = config.flag_or(kNewDecoder, false);
  read_falcon_heads(config, is_new, model);
  model.feed_forward = config.count_or("ffn_hidden_size", kFeedForwardWidth, 4 * model.hidden);
  read_activation(config, "activation", "gelu", false, model);
  const bool parallel = is_new || config.flag_or("parallel_attn", true);
  const int norms =
      config.count_or("num_ln_in_parallel_attn", {.lowest = 1, .highest = 2}, is_new ? 2 : 1);
  config.ignore({"parallel_attn"});
  if (parallel) {
    model.blocks =
        norms == 2 && is_new ? Model::Blocks::parallel_two_norms : Model::Blocks::parallel;
  }
  if (config.flag_or("bias", false)) model.biases = Model::Biases::all;
  model.positions =
      config.flag_or("alibi", false) ? Model::Positions::alibi : Model::Positions::rotary;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  const int longest = config.count_or("max_position_embeddings", kTokens, 2048);
  set_sequence(config, "max_position_embeddings", longest, given, model);
  read_attention_dropout(config, model);
  config.ignore(
      {"n_embed", "n_head", "n_layer", "n_head_kv", "apply_residual_connection_post_layernorm"});
}

}  // namespace

constexpr ModelFamily falcon{.title = "Falcon",
                             .architectures = {"FalconForCausalLM", "RWForCausalLM"},
                             .model_types = {"falcon", "RefinedWebModel", "RefinedWeb"},
                             .text_parts = {},
                             .read = read_falcon};

}  // namespace sim::families
