// SPDX-License-Identifier: Apache-2.0
// GPT-2, and Cerebras-GPT, which has its code.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_gpt2(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gpt_shape(config, model);
  model.biases = Model::Biases::all;
  read_dropout(config, model, {.attention = "attn_pdrop", .usual = 0.1});
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  read_position_table(config, "n_positions", given, model);
  config.not_modelled("reorder_and_upcast_attn", "attention in FP32 is not modelled");
  config.ignore({"n_ctx", "n_special", "predict_special_tokens", "output_past",
                 "scale_attn_by_inverse_layer_idx", "scale_attn_weights", "summary_activation",
                 "summary_first_dropout", "summary_proj_to_labels", "summary_type",
                 "summary_use_proj"});
}

}  // namespace

constexpr ModelFamily gpt2{.title = "GPT-2",
                           .architectures = {"GPT2LMHeadModel", "GPT2Model"},
                           .model_types = {"gpt2"},
                           .text_parts = {},
                           .read = read_gpt2};

}  // namespace sim::families
