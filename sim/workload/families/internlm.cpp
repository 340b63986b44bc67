// SPDX-License-Identifier: Apache-2.0
// InternLM 1 and 2: Llama, of which the first has biases in attention.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_internlm(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  model.biases = biases_of(config.flag_or("bias", true), false);
  read_sequence(config, given, model);
  config.ignore({"rotary"});
}

}  // namespace

constexpr ModelFamily internlm{.title = "InternLM",
                               .architectures = {"InternLMForCausalLM", "InternLM2ForCausalLM"},
                               .model_types = {"internlm", "internlm2"},
                               .text_parts = {},
                               .read = read_internlm};

}  // namespace sim::families
