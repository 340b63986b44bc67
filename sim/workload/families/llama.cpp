// SPDX-License-Identifier: Apache-2.0
// Llama 1 to 3, and what has the same code: SmolLM and SmolLM 2, Yi, the dense models of DeepSeek.
#include "sim/workload/families/family.hpp"
#include "sim/workload/families/parts.hpp"

namespace sim::families {
namespace {

void read_llama(ConfigReader& config, std::optional<int> given, Model& model) {
  read_gated(config, model);
  read_rotary_share(config, 1, model);
  read_sequence(config, given, model);
  read_biases(config, model);
}

}  // namespace

constexpr ModelFamily llama{.title = "Llama",
                            .architectures = {"LlamaForCausalLM", "LLaMAForCausalLM", "LlamaModel"},
                            .model_types = {"llama"},
                            .text_parts = {},
                            .read = read_llama};

}  // namespace sim::families
