// SPDX-License-Identifier: Apache-2.0
// GLM-4, and GLM-4.5 with experts.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_glm(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");
  read_gated(config, model);
  read_rotary_share(config, 0.5, model);
  read_sequence(config, given, model);
  if (config.flag_or("attention_bias", false)) model.biases = Model::Biases::qkv;
}

// Norms before and after each block.
void read_glm4(ConfigReader& config, std::optional<int> given, Model& model) {
  read_glm(config, given, model);
  model.norm_place = Model::NormPlace::both;
}

void read_glm4_moe(ConfigReader& config, std::optional<int> given, Model& model) {
  read_glm(config, given, model);
  model.query_key_norm = config.flag_or("use_qk_norm", false);
  read_experts(config, {.count = "n_routed_experts", .width = "moe_intermediate_size"}, model);
  model.experts.router_bias = true;
  read_shared_experts(config, model);
  read_first_dense(config, 1, model);
  read_predictions(config, "num_nextn_predict_layers", model);
}

}  // namespace

constexpr ModelFamily glm{.title = "GLM",
                          .architectures = {"GlmForCausalLM"},
                          .model_types = {"glm"},
                          .text_parts = {},
                          .read = read_glm};

constexpr ModelFamily glm4{.title = "GLM-4",
                           .architectures = {"Glm4ForCausalLM"},
                           .model_types = {"glm4"},
                           .text_parts = {},
                           .read = read_glm4};

constexpr ModelFamily glm4_moe{.title = "GLM-4-MoE",
                               .architectures = {"Glm4MoeForCausalLM"},
                               .model_types = {"glm4_moe"},
                               .text_parts = {},
                               .read = read_glm4_moe};

}  // namespace sim::families
