// SPDX-License-Identifier: Apache-2.0
// Families of models: how each describes its shape in a config.json, and what it leaves unsaid.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "sim/workload/config_reader.hpp"
#include "sim/workload/model.hpp"

namespace sim {

struct ModelFamily {
  using Names = std::array<std::string_view, 4>;  // those that are empty name nothing
  std::string_view title;                         // the usual name
  Names architectures;                            // as "architectures" names it
  Names model_types;                              // as "model_type" does
  Names text_parts;  // architectures whose "text_config" is of this family
  // Fills the shape, and `sequence` from the run (`given`) or else with a usual one. Records in `config`
  // anything missing, wrong or not modelled.
  void (*read)(ConfigReader& config, std::optional<int> given, Model& model);
};

namespace families {
// A file of the same or a similar name has the row.
extern const ModelFamily bloom, cohere, cohere2, deepseek_v2, deepseek_v3, dit, falcon, gemma,
    gemma2, gemma3, glm, glm4, glm4_moe, gpt2, gpt_j, gpt_neox, gpt_oss, granite, granite_moe, grok,
    internlm, llama, llama4, minimax_m2, mistral, mixtral, mpt, nemotron, nemotron_h, olmo, olmo2,
    olmoe, opt, phi, phi3, phi_moe, qwen2, qwen2_moe, qwen3, qwen3_moe, smollm3, starcoder2, vit;
}  // namespace families

[[nodiscard]] std::span<const ModelFamily* const> all_families();

}  // namespace sim
