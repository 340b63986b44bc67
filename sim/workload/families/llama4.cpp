// SPDX-License-Identifier: Apache-2.0
// Llama 4: chunks of attention with rotary positions, and in each fourth layer all tokens without any.
#include <fmt/format.h>

#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

// As the family's code names the layers of experts where the file does not.
void read_llama4_blocks(ConfigReader& config, Kinds& kinds) {
  const int step = config.count_or("interleave_moe_layer_step", kLayers, 1);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    kinds[i].block = (static_cast<int>(i) + 1) % step == 0 ? Block::experts : Block::dense;
  }
  if (!config.has("moe_layers")) return;
  const auto layers = config.integers("moe_layers", {.lowest = 0, .highest = kLayers.highest});
  if (!config.all_good({"moe_layers"})) return;
  for (LayerKind& kind : kinds) kind.block = Block::dense;
  for (const int layer : layers) {
    if (layer < static_cast<int>(kinds.size())) {
      kinds[static_cast<std::size_t>(layer)].block = Block::experts;
    }
  }
}

void read_llama4(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_sequence(config, given, model);
  read_experts(config, {.count = "num_local_experts"}, model);
  set_shared_width(config, "intermediate_size", 1, model.experts.width, model);
  model.feed_forward = config.count("intermediate_size_mlp", kFeedForwardWidth);
  read_biases(config, model);
  model.query_key_norm = config.flag_or("use_qk_norm", true);
  if (model.query_key_norm) model.query_key_norm_weights = Model::HeadNorm::none;
  Kinds kinds = usual_kinds(model);
  read_llama4_blocks(config, kinds);
  const bool chunks = config.has("attention_chunk_size");
  if (chunks) {
    model.window = config.count("attention_chunk_size", kTokens);
    model.window_kind = Model::WindowKind::chunked;
  }
  read_unplaced(config, chunks ? Mixer::window : Mixer::full, kinds);
  config.ignore({"layer_types", "attn_scale", "attn_temperature_tuning", "floor_scale",
                 "for_llm_compressor"});
  set_order(std::move(kinds), model);
}

}  // namespace

constexpr ModelFamily llama4{.title = "Llama 4",
                             .architectures = {"Llama4ForCausalLM"},
                             .model_types = {"llama4_text"},
                             .text_parts = {"Llama4ForConditionalGeneration"},
                             .read = read_llama4};

}  // namespace sim::families
