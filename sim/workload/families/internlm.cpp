// SPDX-License-Identifier: Apache-2.0
// InternLM 1 and 2.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_internlm(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  const bool attention = config.flag_or("bias", true);
  set_biases(config, "bias", attention, attention, false, model);
  read_sequence(config, given, model);
  config.ignore({"rotary"});
}

void read_internlm2(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  const bool attention = config.flag_or("bias", true);
  set_biases(config, "bias", attention, attention, false, model);
  read_sequence(config, given, model);
}

}  // namespace

constexpr ModelFamily internlm{.title = "InternLM",
                               .architectures = {"InternLMForCausalLM"},
                               .model_types = {"internlm"},
                               .text_parts = {},
                               .read = read_internlm};

constexpr ModelFamily internlm2{.title = "InternLM2",
                                .architectures = {"InternLM2ForCausalLM"},
                                .model_types = {"internlm2"},
                                .text_parts = {},
                                .read = read_internlm2};

}  // namespace sim::families
