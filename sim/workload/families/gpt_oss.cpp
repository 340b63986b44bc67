// SPDX-License-Identifier: Apache-2.0
// GPT-OSS: experts in all layers, windows in every other, a learned sink for each head.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_gpt_oss(ConfigReader& config, std::optional<int> given, Model& model) {
  config.require("num_key_value_heads");
  read_gated(config, model);
  read_experts(config, {.count = "num_local_experts"}, model);
  model.feed_forward = 0;
  model.experts.router_bias = true;
  model.sinks = true;
  // Experts and routers have biases whatever the file says of attention.
  const bool attention = config.flag_or("attention_bias", true);
  model.biases = biases_of(attention, true);
  read_sequence(config, given, model);
  set_order(read_window_pattern(config, 2, model), model);
  config.ignore({"experts_per_token", "initial_context_length", "swiglu_alpha", "swiglu_limit",
                 "rope_ntk_alpha", "rope_ntk_beta", "rope_scaling_factor"});
}

}  // namespace

constexpr ModelFamily gpt_oss{.title = "GPT-OSS",
                              .architectures = {"GptOssForCausalLM"},
                              .model_types = {"gpt_oss"},
                              .text_parts = {},
                              .read = read_gpt_oss};

}  // namespace sim::families
