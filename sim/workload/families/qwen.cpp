// SPDX-License-Identifier: Apache-2.0
// Qwen 2, 2.5 and 3, dense and with experts.
#include <fmt/format.h>

#include <algorithm>

#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

// The layers from the first `max_window_layers` on have windows.
void read_qwen_windows(ConfigReader& config, Kinds& kinds, Model& model) {
  config.ignore({"sliding_window", "max_window_layers", "layer_types"});
  if (!config.flag_or("use_sliding_window", false) || !read_window(config, model)) return;
  const int full =
      config.count_or("max_window_layers", {.lowest = 0, .highest = kLayers.highest}, model.layers);
  read_windows(
      config, [&](int layer) { return layer >= full; }, kinds);
}

// Attention to chunks begins where the sequence is longer than that of pre-training.
void read_dual_chunks(ConfigReader& config, const Model& model) {
  constexpr const char* kKey = "dual_chunk_attention_config";
  const auto longest = config.number_within(kKey, "original_max_position_embeddings");
  if (config.has(kKey) && longest && model.sequence > *longest) {
    config.unsupported(kKey, fmt::format("attention to chunks is not modelled; pass `sequence`, at "
                                         "most {}",
                                         *longest));
  }
}

// Where a key is missing, this family's code takes a number that suits one size of model.
void read_qwen(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");
  read_gated(config, model);
  read_sequence(config, given, model);
  read_dual_chunks(config, model);
}

void read_dense_qwen(ConfigReader& config, std::optional<int> given, Model& model) {
  read_qwen(config, given, model);
  Kinds kinds = usual_kinds(model);
  read_qwen_windows(config, kinds, model);
  set_order(std::move(kinds), model);
}

void read_qwen2(ConfigReader& config, std::optional<int> given, Model& model) {
  read_dense_qwen(config, given, model);
  model.biases = Model::Biases::qkv;
  config.ignore({"attention_bias"});                            // read by code of others alone
  read_predictions(config, "num_nextn_predict_layers", model);  // MiMo
}

void read_qwen3_attention(ConfigReader& config, Model& model) {
  config.require("head_dim");
  read_biases(config, model);
  model.query_key_norm = true;
}

void read_qwen3(ConfigReader& config, std::optional<int> given, Model& model) {
  read_dense_qwen(config, given, model);
  read_qwen3_attention(config, model);
}

// Experts in each `decoder_sparse_step`-th layer but those named.
void read_qwen_experts(ConfigReader& config, Model& model) {
  const char* count = config.has("num_local_experts") ? "num_local_experts" : "num_experts";
  read_experts(config, {.count = count, .width = "moe_intermediate_size"}, model);
  const int step = config.count_or("decoder_sparse_step", kLayers, 1);
  const auto dense = config.integers("mlp_only_layers", {.lowest = 0, .highest = kLayers.highest});
  Kinds kinds = usual_kinds(model);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const int layer = static_cast<int>(i);
    if ((layer + 1) % step != 0 || std::ranges::count(dense, layer) > 0) {
      kinds[i].block = Block::dense;
    }
  }
  read_qwen_windows(config, kinds, model);
  set_order(std::move(kinds), model);
  if (!has_layers_with(model, Block::dense)) model.feed_forward = 0;
}

void read_qwen2_moe(ConfigReader& config, std::optional<int> given, Model& model) {
  read_qwen(config, given, model);
  read_qwen_experts(config, model);
  model.experts.shared_width = config.count("shared_expert_intermediate_size", kFeedForwardWidth);
  model.experts.shared_gate = true;
  if (config.flag_or("qkv_bias", true)) model.biases = Model::Biases::qkv;
}

void read_qwen3_moe(ConfigReader& config, std::optional<int> given, Model& model) {
  read_qwen(config, given, model);
  read_qwen_experts(config, model);
  read_qwen3_attention(config, model);
  config.not_modelled("shared_expert_intermediate_size", "this family has no shared experts");
  config.ignore({"qkv_bias", "use_qk_norm"});  // read by code of others alone
}

}  // namespace

constexpr ModelFamily qwen2{.title = "Qwen2",
                            .architectures = {"Qwen2ForCausalLM", "MiMoForCausalLM", "Qwen2Model"},
                            .model_types = {"qwen2", "mimo"},
                            .text_parts = {},
                            .read = read_qwen2};

constexpr ModelFamily qwen3{.title = "Qwen3",
                            .architectures = {"Qwen3ForCausalLM", "Qwen3Model"},
                            .model_types = {"qwen3"},
                            .text_parts = {"Qwen3VLForConditionalGeneration"},
                            .read = read_qwen3};

constexpr ModelFamily qwen2_moe{.title = "Qwen2-MoE",
                                .architectures = {"Qwen2MoeForCausalLM"},
                                .model_types = {"qwen2_moe"},
                                .text_parts = {},
                                .read = read_qwen2_moe};

constexpr ModelFamily qwen3_moe{.title = "Qwen3-MoE",
                                .architectures = {"Qwen3MoeForCausalLM"},
                                .model_types = {"qwen3_moe"},
                                .text_parts = {"Qwen3VLMoeForConditionalGeneration"},
                                .read = read_qwen3_moe};

}  // namespace sim::families
