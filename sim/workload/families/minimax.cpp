// SPDX-License-Identifier: Apache-2.0
// MiniMax M2.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"
#include "sim/workload/model_ranges.hpp"

namespace sim::families {
namespace {

void read_minimax_attention(ConfigReader& config, Model& model) {
  model.query_key_norm = config.flag_or("use_qk_norm", true);
  const std::string norm = config.text_or("qk_norm_type", "per_layer");
  if (model.query_key_norm && norm == "per_layer") {
    model.query_key_norm_weights = Model::HeadNorm::all_heads;
  }
  const int turned = config.count_or("rotary_dim", kHeadWidth, model.head_width);
  set_rotary_share(config, "rotary_dim", 1.0 * turned / model.head_width, model);
  config.not_modelled("attn_type_list", "attention of another type is not modelled", 1);
  config.ignore({"partial_rotary_factor", "layer_types"});
}

void read_minimax_m2(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_minimax_attention(config, model);
  read_sequence(config, given, model);
  read_experts(config, {.count = "num_local_experts"}, model);
  model.feed_forward = 0;
  model.experts.router_bias = config.flag_or("use_routing_bias", true);
  config.not_modelled("shared_intermediate_size", "shared experts are not modelled in this family");
  if (config.flag_or("use_mtp", false)) read_predictions(config, "num_mtp_modules", model);
  config.ignore({"num_mtp_modules", "mtp_transformer_layers"});
  read_all_windows(config, model);
}

}  // namespace

constexpr ModelFamily minimax_m2{.title = "MiniMax-M2",
                                 .architectures = {"MiniMaxM2ForCausalLM"},
                                 .model_types = {"minimax_m2", "minimax"},
                                 .text_parts = {},
                                 .read = read_minimax_m2};

}  // namespace sim::families
