// SPDX-License-Identifier: Apache-2.0
// BLOOM.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

// Old files have other names of the same numbers.
const char* bloom_key(ConfigReader& config, const char* name, const char* old) {
  return config.has(name) || !config.has(old) ? name : old;
}

void read_bloom(ConfigReader& config, std::optional<int> given, Model& model) {
  read_shape(config, model,
             {.layers = bloom_key(config, "n_layer", "num_hidden_layers"),
              .hidden = bloom_key(config, "hidden_size", "n_embed"),
              .heads = bloom_key(config, "n_head", "num_attention_heads")});
  model.feed_forward = 4 * model.hidden;
  model.feed_forward_kind = Model::FeedForward::gelu;
  model.biases = Model::Biases::all;
  model.embedding_norm = true;
  model.positions = Model::Positions::alibi;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  constexpr const char* kSequence = "seq_length";
  set_sequence(config, kSequence, config.count_or(kSequence, kTokens, 2048), given, model);
  read_attention_dropout(config, model);
  config.ignore({"apply_residual_connection_post_layernorm", "attention_softmax_in_fp32",
                 "bias_dropout_fusion", "masked_softmax_fusion", "offset_alibi", "skip_bias_add",
                 "skip_bias_add_qkv", "slow_but_exact", "n_inner"});
}

}  // namespace

constexpr ModelFamily bloom{.title = "BLOOM",
                            .architectures = {"BloomForCausalLM", "BloomModel"},
                            .model_types = {"bloom"},
                            .text_parts = {},
                            .read = read_bloom};

}  // namespace sim::families
