// SPDX-License-Identifier: Apache-2.0
// Gemma 1 to 3: heads of their own width, gated by GELU, words tied to the output. Constants by which
// the embedding and the scores are multiplied are part of the passes beside them.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

void read_gemma_shape(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_activation(config, config.has("hidden_activation") ? "hidden_activation" : "hidden_act",
                  "gelu_pytorch_tanh", true, model);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  read_sequence(config, given, model);
  read_biases(config, model);
}

void read_gemma(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("head_dim");
  read_gemma_shape(config, given, model);
  config.not_modelled("use_bidirectional_attention", "attention to later tokens is not modelled");
}

// Norms before and after each block, and windows in all but each `of`-th layer.
void read_gemma_windows(ConfigReader& config, int of, Model& model) {
  model.norm_place = Model::NormPlace::both;
  set_order(read_window_pattern(config, of, model), model);
  model.attention_cap = config.is_something("attn_logit_softcapping");
  model.logit_cap = config.is_something("final_logit_softcapping");
  config.not_modelled("use_bidirectional_attention", "attention to later tokens is not modelled");
  config.ignore({"sliding_window_size", "query_pre_attn_scalar", "rope_local_base_freq"});
}

void read_gemma2(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("head_dim");
  read_gemma_shape(config, given, model);
  read_gemma_windows(config, 2, model);
}

// Where a model with pictures leaves out a number, the family's code takes that of the smallest.
void read_gemma3(ConfigReader& config, std::optional<int> given, Model& model) {
  config.assume("num_attention_heads", 8);
  config.assume("num_key_value_heads", 4);
  config.assume("head_dim", 256);
  config.assume("vocab_size", 262'208);
  config.assume("max_position_embeddings", 131'072);
  read_gemma_shape(config, given, model);
  model.query_key_norm = true;
  read_gemma_windows(config, 6, model);
}

}  // namespace

constexpr ModelFamily gemma{.title = "Gemma",
                            .architectures = {"GemmaForCausalLM"},
                            .model_types = {"gemma"},
                            .text_parts = {},
                            .read = read_gemma};

constexpr ModelFamily gemma2{.title = "Gemma 2",
                             .architectures = {"Gemma2ForCausalLM"},
                             .model_types = {"gemma2"},
                             .text_parts = {},
                             .read = read_gemma2};

constexpr ModelFamily gemma3{.title = "Gemma 3",
                             .architectures = {"Gemma3ForCausalLM"},
                             .model_types = {"gemma3_text"},
                             .text_parts = {"Gemma3ForConditionalGeneration"},
                             .read = read_gemma3};

}  // namespace sim::families
