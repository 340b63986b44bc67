// SPDX-License-Identifier: Apache-2.0
// Mistral and Mixtral.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

// Where a key is missing, this family's code takes a number that suits one size of model.
void read_mistral(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");
  config.require("sliding_window");
  read_gated(config, model);
  read_sequence(config, given, model);
  read_all_windows(config, model);
}

void read_mixtral(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");
  read_gated(config, model);
  read_experts(config, {.count = "num_local_experts"}, model);
  model.feed_forward = 0;
  read_sequence(config, given, model);
  read_all_windows(config, model);
}

}  // namespace

constexpr ModelFamily mistral{.title = "Mistral",
                              .architectures = {"MistralForCausalLM", "MistralModel"},
                              .model_types = {"mistral"},
                              .text_parts = {"Mistral3ForConditionalGeneration"},
                              .read = read_mistral};

constexpr ModelFamily mixtral{.title = "Mixtral",
                              .architectures = {"MixtralForCausalLM"},
                              .model_types = {"mixtral"},
                              .text_parts = {},
                              .read = read_mixtral};

}  // namespace sim::families
