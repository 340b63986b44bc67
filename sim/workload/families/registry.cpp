// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/families/family.hpp"

namespace sim {
namespace {

constexpr std::array kFamilies{
    &families::bloom,       &families::cohere,     &families::cohere2,     &families::deepseek_v2,
    &families::deepseek_v3, &families::dit,        &families::falcon,      &families::gemma,
    &families::gemma2,      &families::gemma3,     &families::glm,         &families::glm4,
    &families::glm4_moe,    &families::gpt2,       &families::gpt_j,       &families::gpt_neox,
    &families::gpt_oss,     &families::granite,    &families::granite_moe, &families::grok,
    &families::internlm,    &families::llama,      &families::llama4,      &families::minimax_m2,
    &families::mistral,     &families::mixtral,    &families::mpt,         &families::nemotron,
    &families::nemotron_h,  &families::olmo,       &families::olmo2,       &families::olmoe,
    &families::opt,         &families::phi,        &families::phi3,        &families::phi_moe,
    &families::qwen2,       &families::qwen2_moe,  &families::qwen3,       &families::qwen3_moe,
    &families::smollm3,     &families::starcoder2, &families::vit};

}  // namespace

std::span<const ModelFamily* const> all_families() { return kFamilies; }

}  // namespace sim
