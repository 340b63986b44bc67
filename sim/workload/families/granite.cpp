// SPDX-License-Identifier: Apache-2.0
// Granite: Llama with constants by which passes multiply, alone or with experts.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_granite(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_sequence(config, given, model);
  read_biases(config, model);
  model.logit_scale = config.number_or("logits_scaling", 1) != 1;
  config.ignore({"attention_multiplier", "embedding_multiplier", "residual_multiplier"});
}

void read_granite_moe(ConfigReader& config, std::optional<int> given, Model& model) {
  read_granite(config, given, model);
  read_experts(config, {.count = "num_local_experts"}, model);
  model.feed_forward = 0;
}

}  // namespace

constexpr ModelFamily granite{.title = "Granite",
                              .architectures = {"GraniteForCausalLM"},
                              .model_types = {"granite"},
                              .text_parts = {},
                              .read = read_granite};

constexpr ModelFamily granite_moe{.title = "Granite-MoE",
                                  .architectures = {"GraniteMoeForCausalLM"},
                                  .model_types = {"granitemoe"},
                                  .text_parts = {},
                                  .read = read_granite_moe};

}  // namespace sim::families
