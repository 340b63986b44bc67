// SPDX-License-Identifier: Apache-2.0
// StarCoder 2.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_starcoder2(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");
  read_usual(config, "gelu_pytorch_tanh", false, model);
  const bool biases = config.flag_or("use_bias", true);
  model.biases = biases_of(biases, biases);
  model.positions = Model::Positions::rotary;
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  read_sequence(config, given, model);
  read_all_windows(config, model);
  read_dropout(config, model, {.blocks = "residual_dropout", .embedding = "embedding_dropout"});
  config.ignore({"activation_function", "attention_softmax_in_fp32", "mlp_type", "norm_type",
                 "scale_attention_softmax_in_fp32", "scale_attn_weights"});
}

}  // namespace

constexpr ModelFamily starcoder2{.title = "StarCoder2",
                                 .architectures = {"Starcoder2ForCausalLM"},
                                 .model_types = {"starcoder2"},
                                 .text_parts = {},
                                 .read = read_starcoder2};

}  // namespace sim::families
