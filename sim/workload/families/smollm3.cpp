// SPDX-License-Identifier: Apache-2.0
// SmolLM 3: Llama with one of four layers without positions. (SmolLM 2 is a Llama.)
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_smollm3(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");  // the family's code takes those of one size
  read_gated(config, model);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  read_sequence(config, given, model);
  read_biases(config, model);
  Kinds kinds = usual_kinds(model);
  read_unplaced(config, Mixer::full, kinds);
  if (config.flag_or("use_sliding_window", false)) {
    config.unsupported("use_sliding_window", "windows are not modelled in this family");
  }
  config.not_modelled("layer_types", "windows are not modelled in this family", "full_attention");
  config.ignore({"sliding_window", "max_window_layers"});
  set_order(std::move(kinds), model);
}

}  // namespace

constexpr ModelFamily smollm3{.title = "SmolLM3",
                              .architectures = {"SmolLM3ForCausalLM"},
                              .model_types = {"smollm3"},
                              .text_parts = {},
                              .read = read_smollm3};

}  // namespace sim::families
