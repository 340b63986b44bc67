// SPDX-License-Identifier: Apache-2.0
// Command R: both blocks read the same norm, and logits are scaled.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

void read_cohere_shape(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  model.norm = Model::Norm::layer_norm_no_bias;
  model.blocks = Model::Blocks::parallel;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  model.logit_scale = config.number_or("logit_scale", 0.0625) != 1;
  read_biases(config, model);
  config.ignore({"use_gated_activation", "use_parallel_block", "use_parallel_embedding",
                 "use_embedding_sharing", "position_embedding_type", "rotary_pct",
                 "order_of_interleaved_layers"});
  // "model_max_length" of the first files is what the checkpoint takes.
  read_sequence(config, given, model);
  config.ignore({"model_max_length"});
}

void read_cohere(ConfigReader& config, std::optional<int> given, Model& model) {
  read_cohere_shape(config, given, model);
  model.query_key_norm = config.flag_or("use_qk_norm", false);
  if (model.query_key_norm) model.query_key_norm_weights = Model::HeadNorm::all_heads;
}

// Windows with rotary positions, and in each fourth layer all tokens without any.
void read_cohere2(ConfigReader& config, std::optional<int> given, Model& model) {
  read_cohere_shape(config, given, model);
  Kinds kinds = read_window_pattern(config, 4, model);
  for (LayerKind& kind : kinds) {
    if (kind.mixer == Mixer::full) kind.mixer = Mixer::unplaced;
  }
  config.ignore({"layer_switch"});
  set_order(std::move(kinds), model);
}

}  // namespace

constexpr ModelFamily cohere{.title = "Command R",
                             .architectures = {"CohereForCausalLM"},
                             .model_types = {"cohere"},
                             .text_parts = {},
                             .read = read_cohere};

constexpr ModelFamily cohere2{.title = "Command R7B and A",
                              .architectures = {"Cohere2ForCausalLM"},
                              .model_types = {"cohere2"},
                              .text_parts = {},
                              .read = read_cohere2};

}  // namespace sim::families
