// SPDX-License-Identifier: Apache-2.0
// The keys of [weights], [activations] and [overlap] in scheme files, and what tables say of each other.
#include "sim/schemes/scheme_fields.hpp"

#include <fmt/format.h>

namespace sim {
namespace {

constexpr auto kWeightFields = joined_rows(
    wire_rows<&WeightExchange::wire>({"codec", "group", "weight_group"},
                                     left_out("BF16, not encoded"), "gathered weights"),
    field<&WeightExchange::difference>("difference", kAny, kUsualValue,
                                       "Encode the difference from the weights that ranks already "
                                       "hold. ZeRO-1 and ZeRO-2 only."),
    field<&WeightExchange::secondary_shards>(
        "secondary_shards", kAny, kUsualValue,
        "Keep a copy of the weights in each node, sharded over its GPUs, from which the backward "
        "pass gathers without leaving the node (ZeRO++'s hpZ). ZeRO-3 only."));

constexpr Rule<WeightExchange> kWeightRules[] = {
    {"codec",
     {"difference"},
     [](const WeightExchange& weights) -> std::string {
       const Wire& wire = weights.wire;
       if (wire.card || wire.format.keep == 0 || weights.difference) return {};
       return fmt::format(
           "{} sends {} of {} weights and loses the rest; write another codec, or "
           "difference = true",
           wire.name(), wire.format.keep, wire.format.group);
     }},
};

constexpr auto kActivationFields =
    joined_rows(wire_rows<&ActivationExchange::tensor>({"tensor.codec", "tensor.group"},
                                                       left_out("BF16, not encoded"),
                                                       "activations between tensor-parallel ranks"),
                wire_rows<&ActivationExchange::pipeline>({"pipeline.codec", "pipeline.group"},
                                                         left_out("BF16, not encoded"),
                                                         "activations between pipeline stages"),
                wire_rows<&ActivationExchange::dispatch>(
                    {"dispatch.codec", "dispatch.group"}, left_out("BF16, not encoded"),
                    "rows on their way to experts in both passes"),
                wire_rows<&ActivationExchange::combine>({"combine.codec", "combine.group"},
                                                        left_out("BF16, not encoded"),
                                                        "rows on their way back from experts"),
                field<&ActivationExchange::fused>(
                    "fused", kAny, kUsualValue,
                    "Whether the kernels that sort and sum rows also encode and decode them."));

constexpr Rule<ActivationExchange> kActivationRules[] = {
    {"fused",
     {"dispatch.codec", "combine.codec"},
     [](const ActivationExchange& activations) -> std::string {
       if (!activations.fused || !activations.moves_rows_plain()) return {};
       return "fuses a codec, and rows travel unencoded; remove it, or name a codec";
     }},
};

constexpr Field<AllowedOverlap> kOverlapFields[] = {
    field<&AllowedOverlap::weights>(
        "weights", kAny, kUsualValue,
        "Whether gathering weights may overlap with compute (`overlap`: `weights`)."),
    field<&AllowedOverlap::gradients>(
        "gradients", kAny, left_out("true, except with one_bit_adam"),
        "Whether reducing gradients may overlap with compute (`overlap`: `gradients`)."),
};

std::string leaves_another_sharding(const Scheme& scheme) {
  const Reduction& collective = *scheme.gradients.algorithm;
  const bool shards = !scheme.is_defined_for(0);
  if (collective.leaves == Reduction::Leaves::shards && !shards) {
    return fmt::format("{} sums shards, and ZeRO-0 has none; write all_to_all, or zero = [1]",
                       collective.name);
  }
  if (collective.leaves == Reduction::Leaves::all && shards) {
    return fmt::format(
        "{} leaves every rank with all gradients, but ZeRO shards them; write "
        "all_to_all, or zero = [0]",
        collective.name);
  }
  return {};
}

constexpr Rule<Scheme> kSchemeRules[] = {
    {"weights.difference",
     {"zero"},
     [](const Scheme& scheme) -> std::string {
       if (!scheme.weights.difference || !scheme.is_defined_for(3)) return {};
       return "needs ranks that keep all weights, and ZeRO-3's do not; write zero =  [1, 2]";
     }},
    {"weights.difference",
     {"weights.codec"},
     [](const Scheme& scheme) -> std::string {
       const WeightExchange& weights = scheme.weights;
       const bool encodes = !weights.difference || !weights.wire.is_plain();
       return encodes ? "" : "has no codec to encode it; name one";
     }},
    {"weights.secondary_shards",
     {"zero"},
     [](const Scheme& scheme) -> std::string {
       if (!scheme.weights.secondary_shards || scheme.zero == std::vector{3}) return {};
       return "serves ZeRO-3's backward pass; write zero = [3]";
     }},
    {"gradients.collective", {"zero"}, leaves_another_sharding},
    {"gradients.method",
     {"zero"},
     [](const Scheme& scheme) -> std::string {
       if (!scheme.gradients.sends_momentum() || scheme.is_defined_for(0)) return {};
       return fmt::format("{} shards nothing; write zero = [0]", scheme.gradients.method->name);
     }},
    {"overlap.gradients",
     {"gradients.method"},
     [](const Scheme& scheme) -> std::string {
       if (!scheme.gradients.sends_momentum() || !scheme.overlap.gradients) return {};
       return fmt::format("{} sends the momentum once all gradients are ready; write false",
                          scheme.gradients.method->name);
     }},
};

}  // namespace

std::span<const Field<WeightExchange>> weight_fields() { return kWeightFields; }
std::span<const Field<ActivationExchange>> activation_fields() { return kActivationFields; }
std::span<const Field<AllowedOverlap>> overlap_fields() { return kOverlapFields; }
std::span<const Rule<WeightExchange>> weight_rules() { return kWeightRules; }
std::span<const Rule<ActivationExchange>> activation_rules() { return kActivationRules; }
std::span<const Rule<Scheme>> rules_across_tables() { return kSchemeRules; }

}  // namespace sim
