// SPDX-License-Identifier: Apache-2.0
// Names of a Parallelism's choices, in inputs and reports.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

inline constexpr EnumName<Recompute> kRecomputes[]{
    {"none", Recompute::none},           {"selective", Recompute::selective},
    {"alternate", Recompute::alternate}, {"projections", Recompute::projections},
    {"experts", Recompute::experts},     {"full", Recompute::full}};
inline constexpr EnumName<Attention> kAttentions[]{
    {"unfused", Attention::unfused}, {"fused", Attention::fused},   {"sdpa", Attention::sdpa},
    {"flash1", Attention::flash1},   {"flash2", Attention::flash2}, {"flash3", Attention::flash3},
    {"flash4", Attention::flash4},   {"cudnn", Attention::cudnn}};
inline constexpr EnumName<Kernels> kKernels[]{
    {"megatron", Kernels::megatron}, {"eager", Kernels::eager}, {"compiled", Kernels::compiled}};
inline constexpr EnumName<Loss> kLosses[]{{"unfused", Loss::unfused}, {"fused", Loss::fused}};
inline constexpr EnumName<MatrixPrecision> kMatrixPrecisions[]{
    {"bf16", MatrixPrecision::bf16},
    {"fp8", MatrixPrecision::fp8},
    {"mxfp8", MatrixPrecision::mxfp8},
    {"nvfp4", MatrixPrecision::nvfp4},
    {"fp8-rowwise", MatrixPrecision::fp8_rowwise},
    {"fp8-rowwise-gw-hp", MatrixPrecision::fp8_rowwise_gw_hp}};
inline constexpr EnumName<Precision> kPrecisions[]{{"fp32", Precision::fp32},
                                                   {"bf16", Precision::bf16}};
inline constexpr EnumName<Optimizer> kOptimizers[]{{"adamw", Optimizer::adamw},
                                                   {"adamw-foreach", Optimizer::adamw_foreach},
                                                   {"muon", Optimizer::muon}};
inline constexpr EnumName<OptimizerState> kOptimizerStates[]{{"gpu", OptimizerState::gpu},
                                                             {"host", OptimizerState::host}};
inline constexpr EnumName<OptimizerPrecision> kOptimizerPrecisions[]{
    {"fp32", OptimizerPrecision::fp32},
    {"bf16-moments", OptimizerPrecision::bf16_moments},
    {"bf16", OptimizerPrecision::bf16}};
inline constexpr EnumName<bool Overlap::*> kOverlaps[]{
    {"gradients", &Overlap::gradients}, {"weights", &Overlap::weights},
    {"tensor", &Overlap::tensor},       {"pipeline", &Overlap::pipeline},
    {"experts", &Overlap::experts},     {"batches", &Overlap::batches}};
inline constexpr EnumName<Dispatcher> kDispatchers[]{
    {"all_to_all", Dispatcher::all_to_all},
    {"deepep", Dispatcher::deepep},
    {"deepep-low-latency", Dispatcher::deepep_low_latency},
    {"hybridep", Dispatcher::hybridep}};
inline constexpr EnumName<ContextExchange> kContextExchanges[]{
    {"ring", ContextExchange::ring},
    {"all_gather", ContextExchange::all_gather},
    {"all_to_all", ContextExchange::all_to_all}};

inline constexpr EnumName<CountedEnds> kCountedEnds[]{{"none", CountedEnds::none},
                                                      {"embedding", CountedEnds::embedding},
                                                      {"head", CountedEnds::head},
                                                      {"both", CountedEnds::both}};

// The axes of dense weights that jobs name.
inline constexpr const Axis* kPlacedAxes[]{&axes::tensor, &axes::data, &axes::pipeline};
inline constexpr const Axis* kPlacedWithContext[]{&axes::tensor, &axes::context, &axes::data,
                                                  &axes::pipeline};
// "tp-dp-pp": neighbours first.
[[nodiscard]] std::string to_text(const Placement& placement);
// None unless the text names each of the axes once, or each of them with context.
[[nodiscard]] std::optional<Placement> placement_of(std::string_view text);
// All orders of the axes.
[[nodiscard]] std::vector<Placement> all_placements(
    std::span<const Axis* const> axes = kPlacedAxes);

// "gradients,weights", "all", which is all but batches, "all,batches" or "none".
[[nodiscard]] std::string to_text(const Overlap& overlap);

// "13*4,5,4": 4 layers of each of 13 virtual stages, then 5, then 4. "" of none. Nothing if the text is
// not of that form.
[[nodiscard]] std::string stage_layers_text(const std::vector<int>& layers);
[[nodiscard]] std::optional<std::vector<int>> parse_stage_layers(std::string_view text);

// Of so many offloaded layers: "none", "all" or the number. Nothing if the text is not of that form.
[[nodiscard]] std::string offloaded_text(int layers);
[[nodiscard]] std::optional<int> parse_offloaded(std::string_view text);

}  // namespace sim
