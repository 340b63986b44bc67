// SPDX-License-Identifier: Apache-2.0
// DeepSeek V2 and V3, and Kimi K2: latent attention, experts after the first dense layers. GLM-5 and
// DeepSeek V3.2 have the same keys, and sparse attention, which is not modelled.
#include <fmt/format.h>

#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

void read_latent(ConfigReader& config, Model& model) {
  Model::Latent& latent = model.latent;
  latent.rank = config.count("kv_lora_rank", kWidth);
  if (config.has("q_lora_rank")) latent.query_rank = config.count("q_lora_rank", kWidth);
  latent.rope_width = config.count("qk_rope_head_dim", kHeadWidth);
  latent.value_width = config.count("v_head_dim", kHeadWidth);
  model.head_width = latent.rope_width + config.count("qk_nope_head_dim", kHeadWidth);
  model.kv_heads = model.heads;
  if (model.head_width > kHeadWidth.highest && config.all_good({"qk_nope_head_dim"})) {
    config.wrong("qk_nope_head_dim", "makes a head too wide");
  }
  config.ignore({"head_dim", "qk_head_dim", "rope_interleave"});
}

// Of a router that chooses groups of experts before experts.
void read_groups(ConfigReader& config, Model& model) {
  Model::Experts& experts = model.experts;
  if (config.text_or("topk_method", "noaux_tc") == "greedy") return;
  experts.groups = config.count_or("n_group", kExpertCount, 1);
  check_divides(config, "n_group", experts.groups, "n_routed_experts", experts.count);
  experts.top_groups = config.count_or("topk_group", kExpertCount, 1);
  if (!config.all_good({"n_group", "n_routed_experts", "topk_group", "num_experts_per_tok"}))
    return;
  if (experts.top_groups > experts.groups) {
    config.wrong("topk_group", fmt::format("is more than n_group = {}", experts.groups));
  } else if (experts.top_k > experts.count / experts.groups * experts.top_groups) {
    config.wrong("topk_group",
                 fmt::format("groups have fewer than num_experts_per_tok = {}", experts.top_k));
  }
}

void read_deepseek(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_sequence(config, given, model);
  read_latent(config, model);
  config.not_modelled("attention_bias", "biases of latent attention are not modelled");
  config.not_modelled("mlp_bias", "biases of experts are not modelled in this family");
  read_experts(config, {.count = "n_routed_experts", .width = "moe_intermediate_size"}, model);
  read_groups(config, model);
  read_shared_experts(config, model);
  read_first_dense(config, 0, model);
  config.not_modelled("moe_layer_freq", "layers of experts with others between are not modelled",
                      1);
  config.ignore({"ep_size", "mlp_layer_types", "num_experts", "num_local_experts"});
  config.not_modelled("index_topk", "sparse attention is not modelled");
  config.ignore({"index_head_dim", "index_n_heads", "index_share_for_mtp_iteration",
                 "index_skip_topk_offset", "index_topk_freq", "index_topk_pattern",
                 "indexer_rope_interleave", "indexer_types", "layer_types"});
}

void read_deepseek_v2(ConfigReader& config, std::optional<int> given, Model& model) {
  read_deepseek(config, given, model);
}

void read_deepseek_v3(ConfigReader& config, std::optional<int> given, Model& model) {
  read_deepseek(config, given, model);
  model.experts.router_bias = config.text_or("topk_method", "noaux_tc") == "noaux_tc";
  read_predictions(config, "num_nextn_predict_layers", model);
}

}  // namespace

constexpr ModelFamily deepseek_v2{.title = "DeepSeek-V2",
                                  .architectures = {"DeepseekV2ForCausalLM"},
                                  .model_types = {"deepseek_v2"},
                                  .text_parts = {},
                                  .read = read_deepseek_v2};

constexpr ModelFamily deepseek_v3{
    .title = "DeepSeek-V3",
    .architectures = {"DeepseekV3ForCausalLM", "DeepseekV32ForCausalLM", "GlmMoeDsaForCausalLM"},
    .model_types = {"deepseek_v3", "kimi_k2", "deepseek_v32", "glm_moe_dsa"},
    .text_parts = {"KimiK25ForConditionalGeneration"},
    .read = read_deepseek_v3};

}  // namespace sim::families
