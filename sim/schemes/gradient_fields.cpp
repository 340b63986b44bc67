// SPDX-License-Identifier: Apache-2.0
// The keys of [gradients] in scheme files: what each collective has, and what it cannot do.
#include <fmt/format.h>

#include "sim/schemes/scheme_fields.hpp"

namespace sim {
namespace {

// Bytes of a residual's element.
constexpr EnumName<double> kResidualNames[]{{"none", 0}, {"int8", 1}, {"bf16", 2}, {"fp32", 4}};
// low_rank's, which its kernels keep in FP32.
constexpr double kFactorResidual = 4;

using WhenGradients = Condition<GradientExchange>;
template <bool (Reduction::*is)() const, bool wanted = true>
constexpr WhenGradients collective_that(std::string_view why,
                                        std::string_view lack = "has no groups to set here") {
  return {
      "collective",
      [](const GradientExchange& g, std::string_view) { return (g.algorithm->*is)() == wanted; },
      why, lack};
}
constexpr WhenGradients kOfLevels =
    collective_that<&Reduction::has_levels>("applies only to two_level; remove it");
constexpr WhenGradients kWithoutMethod{
    "method", [](const GradientExchange& g, std::string_view) { return g.method == nullptr; },
    "is set by the method; remove it"};

void fill_residual(GradientExchange& g) {
  g.residual_bytes = g.method != nullptr          ? g.method->residual_bytes
                     : g.algorithm->has_factors() ? kFactorResidual
                                                  : 0;
}

bool transforms(const GradientExchange& g) {
  constexpr auto kHadamard = codecs::Rotation::hadamard;
  return g.inside.format.rotation == kHadamard || g.between.format.rotation == kHadamard;
}

// Of either wire between nodes: that of one level, and that of two.
constexpr std::string_view kInterGroup = "inter_group";

// With one level there is one wire.
constexpr auto kInsideWire = [] {
  auto rows = wire_rows<&GradientExchange::inside>({"inside.codec", "inside.group", "intra_group"},
                                                   needed("required with two_level"),
                                                   "gradients inside a node", kOfLevels);
  rows[0] = rows[0].filled_by([](GradientExchange& g) { g.inside = g.between; });
  return rows;
}();

constexpr auto kGradientFields = joined_rows(
    choice<&GradientExchange::algorithm, all_reductions>(
        "collective", written_out("ring"),
        "How gradients are reduced. `ring` sends the gradient buffer uncompressed. `all_to_all` "
        "and `two_level` (inside nodes, then between them) reduce to shards. `all_gather`, "
        "`all_reduce` and `low_rank` leave every rank with all gradients and require zero = [0]."),
    wire_rows<&GradientExchange::between>(
        {"codec", "group", kInterGroup},
        needed("required with all_to_all, all_gather and all_reduce"), "gradients",
        collective_that<&Reduction::has_levels, false>(
            "applies to collectives of one level; name codecs in [gradients.inside] and "
            "[gradients.between]"),
        collective_that<&Reduction::sends_buffer, false>(
            "does not apply to a ring, which sends the gradients uncompressed; write another "
            "collective"),
        collective_that<&Reduction::has_factors, false>(
            "does not apply to low_rank, which sends factors in FP32; remove it")),
    kInsideWire,
    wire_rows<&GradientExchange::between>({"between.codec", "between.group", kInterGroup},
                                          needed("required with two_level"),
                                          "gradients between nodes", kOfLevels),
    choice<&GradientExchange::method, all_methods>("method", left_out("none"),
                                                   "Method with its own kernels."),
    choice<&GradientExchange::residual_bytes, kResidualNames>(
        "residual", kUsualValue,
        "Precision of the error-feedback residual, i.e. the encoding error that is added to the "
        "next gradient.")
        .only(kWithoutMethod)
        .only(collective_that<&Reduction::has_factors, false>(
            "is always FP32 with low_rank; remove it"))
        .filled_by(fill_residual),
    field<&GradientExchange::factor_rank>("factor_rank", from_to(1, 1024),
                                          needed("required with low_rank"),
                                          "Rank of the factors of low_rank.")
        .only(collective_that<&Reduction::has_factors>("applies only to low_rank; remove it",
                                                       "sends no factors"))
        .settable(),
    field<&GradientExchange::slices>(
        "slices", from_to(1, 1024), kUsualValue,
        "Parts into which the two_level exchange is split: one travels inside nodes while another "
        "travels between them.")
        .only(collective_that<&Reduction::has_levels>(
            "apply only to two_level, whose levels they overlap; remove it",
            "has no second level; name it with `baseline` instead of among the schemes"))
        .settable(),
    field<&GradientExchange::fused_hadamard>("fused_hadamard", kAny, kUsualValue,
                                             "Whether the codec's kernels include the Hadamard "
                                             "transform. Only with a codec that has one.")
        .settable()
        .lacking([](const GradientExchange& g) -> std::string_view {
          return transforms(g) ? "" : "has no Hadamard transform";
        }));

std::string cannot_be_added_up(const GradientExchange& g) {
  if (!g.algorithm->sums_in_flight || g.between.is_summable()) return {};
  return fmt::format(
      "{} cannot be added up in flight, as {} does; write all_gather or all_to_all, or "
      "random_k64_unscaled for the codec",
      g.between.name(), g.algorithm->name);
}

std::string lacks_what_its_method_needs(const GradientExchange& g) {
  const auto is_its = [&](const Wire& wire) {
    return !wire.card && wire.name() == g.method->codec;
  };
  if (g.method->reduction == g.algorithm && is_its(g.inside) && is_its(g.between)) return {};
  return fmt::format("{} requires {} with {}; write these, or remove the method", g.method->name,
                     g.method->reduction->name, g.method->codec);
}

std::string loses_nothing(const GradientExchange& g) {
  if (!g.inside.is_plain() || !g.between.is_plain()) return {};
  return "keeps what a codec loses, and these gradients travel uncompressed; remove it, or name a "
         "codec";
}

std::string transforms_nothing(const GradientExchange& g) {
  return transforms(g) ? "" : "applies only to codecs with \"hadamard\" in their name; remove it";
}

constexpr Rule<GradientExchange> kGradientRules[] = {
    {"codec", {"collective"}, cannot_be_added_up},
    {"method",
     {"collective", "codec", "inside.codec", "between.codec"},
     lacks_what_its_method_needs},
    {"residual", {"collective", "codec", "inside.codec", "between.codec"}, loses_nothing},
    {"fused_hadamard",
     {"collective", "codec", "inside.codec", "between.codec"},
     transforms_nothing},
};

}  // namespace

std::span<const Field<GradientExchange>> gradient_fields() { return kGradientFields; }
std::span<const Rule<GradientExchange>> gradient_rules() { return kGradientRules; }

}  // namespace sim
