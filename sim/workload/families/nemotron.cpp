// SPDX-License-Identifier: Apache-2.0
// Nemotron 3 and 4, and Minitron.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_nemotron(ConfigReader& config, std::optional<int> given, Model& model) {
  read_usual(config, "relu2", false, model);
  read_biases(config, model);
  model.positions = Model::Positions::rotary;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  read_rotary_share(config, 0.5, model);
  read_sequence(config, given, model);
  read_attention_dropout(config, model);
}

}  // namespace

constexpr ModelFamily nemotron{.title = "Nemotron",
                               .architectures = {"NemotronForCausalLM"},
                               .model_types = {"nemotron"},
                               .text_parts = {},
                               .read = read_nemotron};

}  // namespace sim::families
