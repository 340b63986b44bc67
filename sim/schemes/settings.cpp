// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/schemes/scheme_fields.hpp"

namespace sim {
namespace {

void set_group(const Setting& setting, Wire& wire) {
  const std::size_t group = multiple_of_32(setting);
  if (!codecs::takes_group(wire.format, group)) {
    refuse(setting, fmt::format("{} does not take groups of {}", wire.name(), group));
  }
  wire.format.group = group;
}

bool has_levels(const Scheme& scheme) { return scheme.gradients.algorithm->has_levels(); }

// Of one level there is one wire.
void set_gradient_group(const Setting& setting, Scheme& scheme, Wire GradientExchange::*level) {
  set_group(setting, scheme.gradients.*level);
  if (!has_levels(scheme)) scheme.gradients.inside = scheme.gradients.between;
}

void set_fused_hadamard(const Setting& setting, Scheme& scheme) {
  if (setting.value != "true" && setting.value != "false") {
    refuse(setting, fmt::format("'{}' is neither true nor false", setting.value));
  }
  scheme.gradients.fused_hadamard = setting.value == "true";
}

void set_keep(const Setting& setting, Scheme& scheme) {
  codecs::Format& format = scheme.between_sites->wire.format;
  const int keep = whole_number(setting, 2, static_cast<int>(format.group));
  if (keep % 2 != 0) refuse(setting, fmt::format("{} is not even", keep));
  format.keep = static_cast<std::size_t>(keep);
}

// What a scheme lacks for a setting to apply; empty: nothing.
using Lack = std::string_view;

Lack groups(const Wire& wire) {
  return wire.card || !codecs::has_groups(wire.format) ? "has no groups to set here" : "";
}
Lack gradient_groups(const Scheme& scheme, Wire GradientExchange::*level) {
  if (scheme.gradients.method != nullptr) return "has kernels for one group size only";
  return groups(scheme.gradients.*level);
}
struct SettingOfScheme {
  SchemeKind kind;
  TomlKey key;
  // Null for a key of [between_sites]: its row is read.
  Lack (*lack)(const Scheme& scheme) = nullptr;
  void (*set)(const Setting& setting, Scheme& scheme) = nullptr;
};
constexpr const char* kOwn = "the scheme's own";
constexpr const char* kGroup = "multiple of 32";
constexpr const char* kCount = "whole number from 1 to 1024";
constexpr SettingOfScheme kSettings[] = {
    {SchemeKind::inside,
     {"scheme.weight_group", kGroup, kOwn, "Weights that share a scale."},
     [](const Scheme& scheme) { return groups(scheme.weights.wire); },
     [](const Setting& setting, Scheme& scheme) { set_group(setting, scheme.weights.wire); }},
    {SchemeKind::inside,
     {"scheme.intra_group", kGroup, kOwn, "Gradients that share a scale inside a node."},
     [](const Scheme& scheme) {
       return has_levels(scheme) ? gradient_groups(scheme, &GradientExchange::inside)
                                 : "has no groups to set here";
     },
     [](const Setting& setting, Scheme& scheme) {
       set_gradient_group(setting, scheme, &GradientExchange::inside);
     }},
    {SchemeKind::inside,
     {"scheme.inter_group", kGroup, kOwn, "Gradients that share a scale between nodes."},
     [](const Scheme& scheme) { return gradient_groups(scheme, &GradientExchange::between); },
     [](const Setting& setting, Scheme& scheme) {
       set_gradient_group(setting, scheme, &GradientExchange::between);
     }},
    {SchemeKind::inside,
     {"scheme.slices", kCount, kOwn,
      "Parts into which a two-level exchange is split, to pipeline its two levels."},
     [](const Scheme& scheme) -> Lack {
       return has_levels(scheme) ? ""
                                 : "has no second level; name it with `baseline` instead of "
                                   "among the schemes";
     },
     [](const Setting& setting, Scheme& scheme) {
       scheme.gradients.slices = whole_number(setting, 1, 1024);
     }},
    {SchemeKind::inside,
     {"scheme.fused_hadamard", "true or false", kOwn,
      "Whether the codec's kernels include the Hadamard transform."},
     [](const Scheme& scheme) -> Lack {
       const bool transforms =
           scheme.gradients.inside.format.rotation == codecs::Rotation::hadamard;
       return transforms ? "" : "has no Hadamard transform";
     },
     set_fused_hadamard},
    {SchemeKind::inside,
     {"scheme.factor_rank", kCount, kOwn, "Rank of the factors of a low-rank scheme."},
     [](const Scheme& scheme) -> Lack {
       return scheme.gradients.algorithm->has_factors() ? "" : "sends no factors";
     },
     [](const Setting& setting, Scheme& scheme) {
       scheme.gradients.factor_rank = whole_number(setting, 1, 1024);
     }},
    {SchemeKind::between_sites, {"scheme.inner_steps"}},
    {SchemeKind::between_sites, {"scheme.across_every"}},
    {SchemeKind::between_sites, {"scheme.fragments"}},
    {SchemeKind::between_sites, {"scheme.overlap_steps"}},
    {SchemeKind::between_sites,
     {"scheme.group", kGroup, kOwn, "Elements that share a scale."},
     [](const Scheme& scheme) { return groups(scheme.between_sites->wire); },
     [](const Setting& setting, Scheme& scheme) {
       set_group(setting, scheme.between_sites->wire);
     }},
    {SchemeKind::between_sites,
     {"scheme.keep", "even whole number from 2 to the group's size", kOwn,
      "Elements sent from each group."},
     [](const Scheme& scheme) -> Lack {
       const Wire& wire = scheme.between_sites->wire;
       return !wire.card && wire.format.keep > 0 ? "" : "sends all elements";
     },
     set_keep},
    {SchemeKind::between_sites, {"scheme.ring_order"}},
    {SchemeKind::between_sites, {"scheme.fan_out"}},
    {SchemeKind::between_sites, {"scheme.quorum"}},
    {SchemeKind::between_sites, {"scheme.grace"}},
    {SchemeKind::between_sites, {"scheme.outer_state"}},
};

const SettingOfScheme& row_of(const Setting& setting, SchemeKind kind) {
  constexpr std::string_view kTable = "scheme.";
  std::vector<std::string_view> known, leaves;
  for (const SettingOfScheme& row : kSettings) {
    if (row.kind != kind) continue;
    if (row.key.key == setting.key) return row;
    known.push_back(row.key.key);
    leaves.push_back(row.key.key.substr(kTable.size()));
  }
  const std::size_t table = setting.key.starts_with(kTable) ? kTable.size() : 0;
  const std::string_view meant = closest_name(setting.key.substr(table), leaves);
  refuse(setting, meant.empty() ? fmt::format("unknown key; known: {}", joined(known))
                                : fmt::format("unknown key; did you mean {}{}? Known: {}", kTable,
                                              meant, joined(known)));
}

Lack lack_of(const SettingOfScheme& row, const Scheme& scheme) {
  return row.lack != nullptr ? row.lack(scheme)
                             : site_setting_lack(row.key.key, *scheme.between_sites);
}

}  // namespace

std::vector<TomlKey> scheme_settings(SchemeKind kind) {
  std::vector<TomlKey> keys;
  for (const SettingOfScheme& row : kSettings) {
    if (row.kind != kind) continue;
    keys.push_back(row.set != nullptr ? row.key : *row_of(site_setting_keys(), row.key.key));
    keys.back().usual = kOwn;
  }
  return keys;
}

bool takes(const Scheme& scheme, const Setting& setting) {
  return lack_of(row_of(setting, scheme.kind()), scheme).empty();
}

Scheme with_settings(Scheme scheme, std::span<const Setting> settings) {
  std::vector<Setting> of_rows;
  for (const Setting& setting : settings) {
    const SettingOfScheme& row = row_of(setting, scheme.kind());
    const Lack lack = lack_of(row, scheme);
    if (!lack.empty()) refuse(setting, fmt::format("{} {}", scheme.name, lack));
    if (row.set != nullptr) {
      row.set(setting, scheme);
    } else {
      of_rows.push_back(setting);
    }
  }
  if (!of_rows.empty()) set_site_exchange(of_rows, *scheme.between_sites);
  return scheme;
}

bool Scheme::is_defined_for(int zero_stage) const {
  return std::find(zero.begin(), zero.end(), zero_stage) != zero.end();
}

int Scheme::usual_stage() const { return is_defined_for(1) ? 1 : zero.front(); }

std::vector<const Wire*> Scheme::wires() const {
  if (between_sites) return {&between_sites->wire};
  std::vector<const Wire*> all{&weights.wire,       &gradients.inside,     &gradients.between,
                               &activations.tensor, &activations.pipeline, &activations.dispatch,
                               &activations.combine};
  if (experts.weights) all.push_back(&experts.weights->wire);
  if (experts.gradients)
    all.insert(all.end(), {&experts.gradients->inside, &experts.gradients->between});
  return all;
}

bool GradientExchange::is_plain() const {
  if (algorithm->sends_buffer()) return true;
  return !algorithm->has_factors() && residual_bytes == 0 && inside.is_plain() &&
         between.is_plain();
}

}  // namespace sim
