// SPDX-License-Identifier: Apache-2.0
// OLMo 1 and 2, and OLMoE.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_olmo_shape(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_sequence(config, given, model);
  read_biases(config, model);
  config.not_modelled("clip_qkv", "a pass that clips queries, keys and values is not modelled");
}

// Layer norms without parameters (arXiv 2402.00838).
void read_olmo(ConfigReader& config, std::optional<int> given, Model& model) {
  read_olmo_shape(config, given, model);
  model.norm = Model::Norm::no_weights;
}

// Norms of what the blocks give (arXiv 2501.00656).
void read_olmo2(ConfigReader& config, std::optional<int> given, Model& model) {
  read_olmo_shape(config, given, model);
  model.norm_place = Model::NormPlace::after;
  model.query_key_norm = true;
  model.query_key_norm_weights = Model::HeadNorm::all_heads;
}

void read_olmoe(ConfigReader& config, std::optional<int> given, Model& model) {
  read_olmo_shape(config, given, model);
  read_experts(config, {.count = "num_experts"}, model);
  model.feed_forward = 0;
  model.query_key_norm = true;
  model.query_key_norm_weights = Model::HeadNorm::all_heads;
}

}  // namespace

constexpr ModelFamily olmo{.title = "OLMo",
                           .architectures = {"OlmoForCausalLM"},
                           .model_types = {"olmo"},
                           .text_parts = {},
                           .read = read_olmo};

constexpr ModelFamily olmo2{.title = "OLMo 2",
                            .architectures = {"Olmo2ForCausalLM"},
                            .model_types = {"olmo2"},
                            .text_parts = {},
                            .read = read_olmo2};

constexpr ModelFamily olmoe{.title = "OLMoE",
                            .architectures = {"OlmoeForCausalLM"},
                            .model_types = {"olmoe"},
                            .text_parts = {},
                            .read = read_olmoe};

}  // namespace sim::families
