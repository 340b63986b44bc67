// SPDX-License-Identifier: Apache-2.0
// Nemotron-H and Nemotron 3: a layer is Mamba-2, attention, a dense block or one of experts, each alone.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

struct NemotronWord {
  char letter;            // in "hybrid_override_pattern"
  std::string_view word;  // in "layers_block_type"
  LayerKind kind;
};
constexpr std::array kNemotronWords{
    NemotronWord{'M', "mamba", {.mixer = Mixer::mamba, .block = Block::none}},
    // As transformers 5 calls it.
    NemotronWord{'M', "linear_attention", {.mixer = Mixer::mamba, .block = Block::none}},
    NemotronWord{'*', "attention", {.mixer = Mixer::full, .block = Block::none}},
    NemotronWord{'*', "full_attention", {.mixer = Mixer::full, .block = Block::none}},
    NemotronWord{'-', "mlp", {.mixer = Mixer::none, .block = Block::dense}},
    NemotronWord{'E', "moe", {.mixer = Mixer::none, .block = Block::experts}}};

// By the pattern, or else by the words; nothing if neither is there.
Kinds read_nemotron_kinds(ConfigReader& config, const char* pattern, const char* words) {
  Kinds kinds;
  const auto add = [&](const char* key, const auto& name, auto NemotronWord::*named) {
    const auto found = std::ranges::find(kNemotronWords, name, named);
    if (found != kNemotronWords.end()) {
      kinds.push_back(found->kind);
    } else if (config.all_good({key})) {
      config.unsupported(key, "only layers of mamba, attention, mlp and moe are modelled");
    }
  };
  if (config.has(pattern)) {
    for (const char letter : config.text_or(pattern, "")) {
      if (letter != '|') add(pattern, letter, &NemotronWord::letter);
    }
  }
  if (kinds.empty()) {
    for (const std::string& word : config.texts(words)) add(words, word, &NemotronWord::word);
  }
  return kinds;
}

// New files leave the number of layers to the list of them.
Kinds read_nemotron_layers(ConfigReader& config) {
  constexpr const char* kPattern = "hybrid_override_pattern";
  constexpr const char* kCount = "num_hidden_layers";
  Kinds kinds = read_nemotron_kinds(config, kPattern, "layers_block_type");
  if (kinds.empty()) {
    if (config.all_good({kPattern})) static_cast<void>(config.require(kPattern));
    kinds.resize(1);
  }
  const int listed = static_cast<int>(std::min(kinds.size(), std::size_t{1} << 30));
  config.assume(kCount, listed);
  if (config.count(kCount, kLayers) != listed && config.all_good({kCount, kPattern})) {
    config.wrong(kCount, fmt::format("differs from the {} layers that are listed", listed));
  }
  return kinds;
}

void read_nemotron_mamba(ConfigReader& config, Model& model) {
  Model::Mamba& mamba = model.mamba;
  mamba.heads = config.count("mamba_num_heads", kHeads);
  mamba.head_width = config.count("mamba_head_dim", kHeadWidth);
  mamba.state = config.count("ssm_state_size", kWidth);
  mamba.groups = config.count("n_groups", kHeads);
  mamba.kernel = config.count("conv_kernel", kHeads);
  mamba.chunk = config.count("chunk_size", kTokens);
  check_divides(config, "n_groups", mamba.groups, "mamba_num_heads", mamba.heads);
  for (const char* key : {"mamba_proj_bias", "use_bias"}) {
    config.not_modelled(key, "biases of a Mamba-2 layer's matrices are not modelled");
  }
  if (!config.flag_or("use_conv_bias", true)) {
    config.unsupported("use_conv_bias", "a convolution without biases is not modelled");
  }
  config.ignore({"expand", "mamba_hidden_act", "mamba_ssm_cache_dtype", "use_mamba_kernels",
                 "mamba_d_conv", "mamba_dt_limit", "time_step_rank", "time_step_min",
                 "time_step_max"});
}

void read_nemotron_experts(ConfigReader& config, Model& model) {
  read_experts(config, {.count = "n_routed_experts", .width = "moe_intermediate_size"}, model);
  const int shared = config.count("moe_shared_expert_intermediate_size", kFeedForwardWidth);
  const int times = config.count_or("n_shared_experts", kExpertCount, 1);
  set_shared_width(config, "n_shared_experts", times, shared, model);
  model.experts.router_bias = true;
  model.experts.latent_width = config.count_or("moe_latent_size", kWidth, 0);
}

// A module that predicts is of attention and experts in turn: one layer of both.
void read_nemotron_predictions(ConfigReader& config, Model& model) {
  read_predictions(config, "num_nextn_predict_layers", model);
  const Kinds kinds =
      read_nemotron_kinds(config, "mtp_hybrid_override_pattern", "mtp_layers_block_type");
  if (model.predictions == 0 || kinds.empty()) return;
  LayerKind both{.mixer = Mixer::none, .block = Block::none};
  for (const LayerKind& kind : kinds) {
    if (kind.mixer != Mixer::none) both.mixer = kind.mixer;
    if (kind.block != Block::none) both.block = kind.block;
  }
  model.prediction = both;
}

void read_nemotron_h(ConfigReader& config, std::optional<int> given, Model& model) {
  model.order = order_of(read_nemotron_layers(config));
  read_shape(config, model);
  config.ignore({"attention_head_dim"});
  read_grouped(config, model);
  read_activation(config, "mlp_hidden_act", "relu2", false, model);
  model.norm = Model::Norm::rms_norm;
  model.positions = Model::Positions::none;
  read_biases(config, model);
  model.tied_embeddings = config.flag_or("tie_word_embeddings", false);
  if (has_layers_with(model, Block::experts)) read_nemotron_experts(config, model);
  if (has_layers_with(model, Block::dense)) {
    model.feed_forward = config.count("intermediate_size", kFeedForwardWidth);
  }
  read_nemotron_mamba(config, model);
  read_nemotron_predictions(config, model);
  read_sequence(config, given, model);
  read_attention_dropout(config, model);
  config.not_modelled("sliding_window", "windows are not modelled in this family");
  config.not_modelled("residual_in_fp32", "sums in FP32 are not modelled");
  config.ignore({"intermediate_size", "n_routed_experts", "n_shared_experts",
                 "moe_intermediate_size", "moe_latent_size", "moe_shared_expert_intermediate_size",
                 "moe_shared_expert_overlap", "num_experts_per_tok", "num_logits_to_keep",
                 "partial_rotary_factor", "rescale_prenorm_residual", "layers_block_type",
                 "mtp_layers_block_type"});
}

}  // namespace

constexpr ModelFamily nemotron_h{.title = "Nemotron-H",
                                 .architectures = {"NemotronHForCausalLM"},
                                 .model_types = {"nemotron_h"},
                                 .text_parts = {},
                                 .read = read_nemotron_h};

}  // namespace sim::families
