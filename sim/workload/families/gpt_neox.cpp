// SPDX-License-Identifier: Apache-2.0
// GPT-NeoX and Pythia.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

void read_gpt_neox(ConfigReader& config, std::optional<int> given, Model& model) {
  read_shape(config, model);
  model.feed_forward = config.count("intermediate_size", kFeedForwardWidth);
  read_activation(config, "hidden_act", "gelu", false, model);
  if (config.flag_or("use_parallel_residual", true)) {
    model.blocks = Model::Blocks::parallel_two_norms;
  }
  const bool attention = config.flag_or("attention_bias", true);
  model.biases = biases_of(attention, true);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  model.positions = Model::Positions::rotary;
  const auto inner = config.number_within("rope_parameters", "partial_rotary_factor");
  set_rotary_share(config, "rotary_pct", config.number_or("rotary_pct", inner.value_or(0.25)),
                   model);
  read_sequence(config, given, model);
  read_attention_dropout(config, model);
  for (const char* key : {"attention_probs_dropout_prob", "hidden_dropout_prob"}) {
    config.not_modelled(key, "dropout by this key is not read in this family");
  }
  config.ignore({"rotary_emb_base", "partial_rotary_factor"});
}

}  // namespace

constexpr ModelFamily gpt_neox{.title = "GPT-NeoX",
                               .architectures = {"GPTNeoXForCausalLM"},
                               .model_types = {"gpt_neox"},
                               .text_parts = {},
                               .read = read_gpt_neox};

}  // namespace sim::families
