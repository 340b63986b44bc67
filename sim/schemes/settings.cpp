// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/names.hpp"
#include "sim/schemes/scheme.hpp"

namespace sim {
namespace {

void set_group(const Setting& setting, const Scheme& scheme, Wire& wire) {
  if (wire.card || !codecs::has_groups(wire.format)) {
    refuse(setting, fmt::format("{} has no groups to set here", scheme.name));
  }
  const std::size_t group = multiple_of_32(setting);
  if (!codecs::takes_group(wire.format, group)) {
    refuse(setting, fmt::format("{} does not take groups of {}", wire.name(), group));
  }
  wire.format.group = group;
}

// Of one level there is one wire.
void set_gradient_group(const Setting& setting, Scheme& scheme, Wire GradientExchange::*level) {
  GradientExchange& gradients = scheme.gradients;
  const bool two_level = gradients.algorithm == GradientExchange::Algorithm::two_level;
  if (!two_level && level == &GradientExchange::inside) {
    refuse(setting, fmt::format("{} has no groups to set here", scheme.name));
  }
  if (!gradients.method.empty()) {
    refuse(setting, fmt::format("{} has kernels for one group size only", scheme.name));
  }
  set_group(setting, scheme, gradients.*level);
  if (!two_level) gradients.inside = gradients.between;
}

void set_fused_hadamard(const Setting& setting, Scheme& scheme) {
  if (scheme.gradients.inside.format.rotation != codecs::Rotation::hadamard) {
    refuse(setting, fmt::format("{} has no Hadamard transform", scheme.name));
  }
  if (setting.value != "true" && setting.value != "false") {
    refuse(setting, fmt::format("'{}' is neither true nor false", setting.value));
  }
  scheme.gradients.fused_hadamard = setting.value == "true";
}

void set_slices(const Setting& setting, Scheme& scheme) {
  if (scheme.gradients.algorithm != GradientExchange::Algorithm::two_level) {
    refuse(setting,
           fmt::format("{} has no second level; name it with --baseline instead of among the "
                       "schemes",
                       scheme.name));
  }
  scheme.gradients.slices = whole_number(setting, 1, 1024);
}

void set_factor_rank(const Setting& setting, Scheme& scheme) {
  if (scheme.gradients.algorithm != GradientExchange::Algorithm::low_rank) {
    refuse(setting, fmt::format("{} sends no factors", scheme.name));
  }
  scheme.gradients.factor_rank = whole_number(setting, 1, 1024);
}

struct SettingOfScheme {
  TomlKey key;
  void (*set)(const Setting& setting, Scheme& scheme);
};
constexpr const char* kOwn = "the scheme's own";
constexpr const char* kGroup = "multiple of 32";
constexpr const char* kCount = "whole number from 1 to 1024";
constexpr SettingOfScheme kSettings[] = {
    {{"scheme.weight_group", kGroup, kOwn, "Weights that share a scale."},
     [](const Setting& setting, Scheme& scheme) {
       set_group(setting, scheme, scheme.weights.wire);
     }},
    {{"scheme.intra_group", kGroup, kOwn, "Gradients that share a scale inside a node."},
     [](const Setting& setting, Scheme& scheme) {
       set_gradient_group(setting, scheme, &GradientExchange::inside);
     }},
    {{"scheme.inter_group", kGroup, kOwn, "Gradients that share a scale between nodes."},
     [](const Setting& setting, Scheme& scheme) {
       set_gradient_group(setting, scheme, &GradientExchange::between);
     }},
    {{"scheme.slices", kCount, kOwn,
      "Parts into which a two-level exchange is split, to pipeline its two levels."},
     set_slices},
    {{"scheme.fused_hadamard", "true or false", kOwn,
      "Whether the codec's kernels include the Hadamard transform."},
     set_fused_hadamard},
    {{"scheme.factor_rank", kCount, kOwn, "Rank of the factors of a low-rank scheme."},
     set_factor_rank},
};

void apply(const Setting& setting, Scheme& scheme) {
  std::vector<std::string_view> known;
  for (const SettingOfScheme& row : kSettings) {
    if (row.key.key == setting.key) return row.set(setting, scheme);
    known.push_back(row.key.key);
  }
  refuse(setting, "unknown key; known: " + joined(known));
}

}  // namespace

std::vector<TomlKey> scheme_settings() {
  std::vector<TomlKey> keys;
  for (const SettingOfScheme& row : kSettings) keys.push_back(row.key);
  return keys;
}

Scheme with_settings(Scheme scheme, std::span<const Setting> settings) {
  for (const Setting& setting : settings) apply(setting, scheme);
  return scheme;
}

bool Scheme::is_defined_for(int zero_stage) const {
  return std::find(zero.begin(), zero.end(), zero_stage) != zero.end();
}

int Scheme::usual_stage() const { return is_defined_for(1) ? 1 : zero.front(); }

bool GradientExchange::is_plain() const {
  if (algorithm == Algorithm::ring) return true;
  return algorithm != Algorithm::low_rank && residual_bytes == 0 && inside.is_plain() &&
         between.is_plain();
}

}  // namespace sim
