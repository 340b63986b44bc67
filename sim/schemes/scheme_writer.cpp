// SPDX-License-Identifier: Apache-2.0
// Schemes as text. What has its default is left out.
#include <fmt/format.h>

#include "sim/base/joined.hpp"
#include "sim/schemes/scheme_keys.hpp"

namespace sim {
namespace {

std::string codec_line(const Wire& wire) { return fmt::format("codec = {}\n", codec_text(wire)); }

std::string weight_lines(const WeightExchange& weights) {
  std::string lines;
  if (weights.wire != WeightExchange{}.wire) lines += codec_line(weights.wire);
  if (weights.difference) lines += "difference = true\n";
  if (weights.secondary_shards) lines += "secondary_shards = true\n";
  return lines;
}

std::string gradient_lines(const GradientExchange& g) {
  std::string lines = fmt::format("collective = {}\n", toml_text(g.algorithm->name));
  if (g.algorithm->sends == Reduction::Sends::wire) lines += codec_line(g.between);
  if (g.algorithm->has_factors()) {
    lines += fmt::format("factor_rank = {}\n", g.factor_rank);
  } else if (g.method != nullptr) {
    lines += fmt::format("method = {}\n", toml_text(g.method->name));
  } else if (g.residual_bytes > 0) {
    lines += fmt::format("residual = {}\n", toml_text(name_of(g.residual_bytes, kResidualNames)));
  }
  if (g.slices != 1) lines += fmt::format("slices = {}\n", g.slices);
  if (!g.fused_hadamard) lines += "fused_hadamard = false\n";
  if (!g.algorithm->has_levels()) return lines;
  return lines + "[gradients.inside]\n" + codec_line(g.inside) + "[gradients.between]\n" +
         codec_line(g.between);
}

std::string activation_lines(const ActivationExchange& activations) {
  const ActivationExchange plain;
  std::string lines;
  if (activations.tensor != plain.tensor) {
    lines += "\n[activations.tensor]\n" + codec_line(activations.tensor);
  }
  if (activations.pipeline != plain.pipeline) {
    lines += "\n[activations.pipeline]\n" + codec_line(activations.pipeline);
  }
  return lines;
}

std::string overlap_lines(const AllowedOverlap& overlap) {
  std::string lines;
  if (!overlap.weights) lines += "weights = false\n";
  if (!overlap.gradients) lines += "gradients = false\n";
  return lines;
}

std::string table(const char* name, const std::string& lines) {
  return lines.empty() ? "" : fmt::format("\n[{}]\n{}", name, lines);
}

}  // namespace

std::string codec_text(const Wire& wire) {
  return toml_text(wire.card ? wire.name() + ".toml" : wire.name());
}

std::string to_toml(const Scheme& scheme) {
  std::string text = fmt::format("summary = {}\n", toml_text(scheme.summary));
  if (!scheme.source.empty()) text += fmt::format("source = {}\n", toml_text(scheme.source));
  if (scheme.compresses()) text += fmt::format("twin = {}\n", toml_text(scheme.twin));
  if (scheme.between_sites) {
    return text + table(kSiteTable, written_fields(site_exchange_fields(), *scheme.between_sites,
                                                   SiteExchange()));
  }
  text += fmt::format("zero = [{}]\n", joined(scheme.zero));
  return text + table("weights", weight_lines(scheme.weights)) +
         table("gradients", gradient_lines(scheme.gradients)) +
         activation_lines(scheme.activations) + table("overlap", overlap_lines(scheme.overlap));
}

}  // namespace sim
