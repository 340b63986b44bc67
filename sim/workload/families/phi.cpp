// SPDX-License-Identifier: Apache-2.0
// Phi 1 to 4, and Phi-3.5-MoE.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

// Phi 1, 1.5 and 2: both blocks read the same norm.
void read_phi(ConfigReader& config, std::optional<int> given, Model& model) {
  read_usual(config, "gelu_new", false, model);
  model.blocks = Model::Blocks::parallel;
  model.biases = Model::Biases::all;
  model.head_bias = true;
  model.positions = Model::Positions::rotary;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  read_rotary_share(config, 0.5, model);
  read_sequence(config, given, model);
  config.not_modelled("qk_layernorm", "this kind of query and key norm is not modelled");
  read_dropout(config, model, {});
}

// Gate and up are one matrix, as are queries, keys and values.
void read_phi3(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_rotary_share(config, 1, model);
  read_sequence(config, given, model);
  read_biases(config, model);
  read_all_windows(config, model);
  config.ignore({"embd_layer", "full_attn_mod", "interpolate_factor", "rope_position_scale"});
  config.not_modelled("lm_head_bias", "a bias of the output is not modelled in this family");
}

void read_phi_moe(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_experts(config, {.count = "num_local_experts"}, model);
  model.feed_forward = 0;
  model.norm = Model::Norm::layer_norm;
  read_biases(config, model);
  model.head_bias = config.flag_or("lm_head_bias", false);
  read_sequence(config, given, model);
  read_all_windows(config, model);
  config.ignore({"input_jitter_noise"});
}

}  // namespace

constexpr ModelFamily phi{.title = "Phi",
                          .architectures = {"PhiForCausalLM"},
                          .model_types = {"phi"},
                          .text_parts = {},
                          .read = read_phi};

constexpr ModelFamily phi3{.title = "Phi-3",
                           .architectures = {"Phi3ForCausalLM"},
                           .model_types = {"phi3"},
                           .text_parts = {},
                           .read = read_phi3};

constexpr ModelFamily phi_moe{.title = "Phi-3.5-MoE",
                              .architectures = {"PhiMoEForCausalLM", "PhimoeForCausalLM"},
                              .model_types = {"phimoe"},
                              .text_parts = {},
                              .read = read_phi_moe};

}  // namespace sim::families
