// SPDX-License-Identifier: Apache-2.0
// OPT.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

void read_opt(ConfigReader& config, std::optional<int> given, Model& model) {
  read_shape(config, model);
  model.feed_forward = config.count("ffn_dim", kFeedForwardWidth);
  read_activation(config, "activation_function", "relu", false, model);
  const bool biases = config.flag_or("enable_bias", true);
  model.biases = biases_of(biases, biases);
  if (!config.flag_or("layer_norm_elementwise_affine", true)) {
    model.norm = Model::Norm::no_weights;
  }
  config.assume("attention_dropout", 0);
  read_dropout(config, model, {.blocks = "dropout", .embedding = "dropout", .usual = 0.1});
  config.not_modelled("activation_dropout", "dropout of activations is not modelled");
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  const int longest = config.count("max_position_embeddings", kTokens);
  model.positions = Model::Positions::learned;
  model.position_table = longest + 2;  // as in fairseq, of which two are for padding
  set_sequence(config, "max_position_embeddings", longest, given, model);
  if (config.has("word_embed_proj_dim") &&
      config.count("word_embed_proj_dim", kHidden) != model.hidden) {
    config.unsupported("word_embed_proj_dim",
                       "words narrower than the hidden state are not modelled");
  }
  if (!config.flag_or("do_layer_norm_before", true)) {
    config.unsupported("do_layer_norm_before", "norms of sums are not modelled");
  }
  config.ignore({"_remove_final_layer_norm", "init_std", "layerdrop"});
}

}  // namespace

constexpr ModelFamily opt{.title = "OPT",
                          .architectures = {"OPTForCausalLM"},
                          .model_types = {"opt"},
                          .text_parts = {},
                          .read = read_opt};

}  // namespace sim::families
