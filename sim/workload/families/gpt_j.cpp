// SPDX-License-Identifier: Apache-2.0
// GPT-J: both blocks read the same norm, and the first elements of a head are turned.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

void read_gpt_j(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gpt_shape(config, model);
  model.blocks = Model::Blocks::parallel;
  model.biases = Model::Biases::feed_forward;
  model.head_bias = true;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  model.positions = Model::Positions::rotary;
  const int turned = config.count_or("rotary_dim", kHeadWidth, 64);
  set_rotary_share(config, "rotary_dim", 1.0 * turned / model.head_width, model);
  const int longest = config.count("n_positions", kTokens);
  set_sequence(config, "n_positions", longest, given, model);
  read_dropout(config, model, {.attention = "attn_pdrop"});
  config.ignore({"n_ctx", "rotary", "scale_attn_weights", "summary_activation",
                 "summary_first_dropout", "summary_proj_to_labels", "summary_type",
                 "summary_use_proj"});
}

}  // namespace

constexpr ModelFamily gpt_j{.title = "GPT-J",
                            .architectures = {"GPTJForCausalLM"},
                            .model_types = {"gptj"},
                            .text_parts = {},
                            .read = read_gpt_j};

}  // namespace sim::families
