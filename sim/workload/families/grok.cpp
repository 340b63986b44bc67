// SPDX-License-Identifier: Apache-2.0
// Grok-1, as its conversions to transformers describe it. Constants by which embeddings, scores and
// logits are multiplied are part of the passes beside them.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_grok(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_activation(config, "hidden_act", "gelu", true, model);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  read_experts(config, {.count = "num_experts"}, model);
  model.feed_forward = 0;
  model.norm_place = Model::NormPlace::both;
  const bool attention = config.flag_or("attn_bias", false);
  model.biases = biases_of(attention, false);
  model.attention_cap = config.is_something("max_attn_value") || !config.has("max_attn_value");
  read_sequence(config, given, model);
  config.ignore({"attn_output_multiplier", "embedding_multiplier_scale", "output_multiplier_scale",
                 "num_experts_per_token"});
}

}  // namespace

constexpr ModelFamily grok{.title = "Grok",
                           .architectures = {"Grok1ModelForCausalLM", "Grok1ForCausalLM"},
                           .model_types = {"grok-1", "grok1"},
                           .text_parts = {},
                           .read = read_grok};

}  // namespace sim::families
