// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/schemes/scheme_keys.hpp"

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

void set_grace(const Setting& setting, Scheme& scheme) {
  const auto grace = parse_quantity<Seconds>(setting.value, "10 s");
  if (!grace.value) refuse(setting, grace.problem);
  scheme.between_sites->grace = *grace.value;
}

template <class E>
E one_of(const Setting& setting, std::span<const EnumName<E>> names) {
  const auto value = value_named<E>(setting.value, names);
  if (!value) {
    refuse(setting, fmt::format("'{}' is not one of: {}", printable(setting.value),
                                joined(names_of<E>(names))));
  }
  return *value;
}

void set_ring_order(const Setting& setting, Scheme& scheme) {
  scheme.between_sites->ring_order = one_of<RingOrder>(setting, kRingOrders);
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
Lack rounds(const Scheme& scheme) {
  return scheme.between_sites->gradients ? "exchanges gradients in every step" : "";
}
Lack quorum(const Scheme& scheme) {
  return scheme.between_sites->exchange->has_leader ? "" : "has no quorum";
}

struct SettingOfScheme {
  SchemeKind kind;
  TomlKey key;
  Lack (*lack)(const Scheme& scheme);
  void (*set)(const Setting& setting, Scheme& scheme);
};
constexpr int kMostSteps = 100'000;
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
    {SchemeKind::between_sites,
     {"scheme.inner_steps", "whole number from 1 to 100000", kOwn,
      "Steps inside a site between two exchanges."},
     rounds,
     [](const Setting& setting, Scheme& scheme) {
       scheme.between_sites->inner_steps = whole_number(setting, 1, kMostSteps);
     }},
    {SchemeKind::between_sites,
     {"scheme.across_every", kCount, kOwn,
      "Rounds from one exchange among all sites to the next; in those between, the sites of each "
      "region exchange."},
     [](const Scheme& scheme) -> Lack {
       const SiteExchange& exchange = *scheme.between_sites;
       if (exchange.gradients) return rounds(scheme);
       return exchange.exchange->works_in_regions ? "" : "does not exchange by regions";
     },
     [](const Setting& setting, Scheme& scheme) {
       scheme.between_sites->across_every = whole_number(setting, 1, 1024);
     }},
    {SchemeKind::between_sites,
     {"scheme.fragments", kCount, kOwn,
      "Parts of the model, exchanged one after another; at most `inner_steps`."},
     rounds,
     [](const Setting& setting, Scheme& scheme) {
       scheme.between_sites->fragments = whole_number(setting, 1, 1024);
     }},
    {SchemeKind::between_sites,
     {"scheme.overlap_steps", "whole number from 0 to 100000", kOwn,
      "Inner steps that overlap with the exchange; at most `inner_steps`."},
     [](const Scheme& scheme) -> Lack {
       return scheme.between_sites->gradients ? "waits in every step" : "";
     },
     [](const Setting& setting, Scheme& scheme) {
       const int least = scheme.between_sites->delayed ? 1 : 0;
       scheme.between_sites->overlap_steps = whole_number(setting, least, kMostSteps);
     }},
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
    {SchemeKind::between_sites,
     {"scheme.ring_order", "one of given, best, worst", kOwn,
      "Order of the sites around a ring: that of their names, the fastest or the slowest."},
     [](const Scheme& scheme) -> Lack {
       return scheme.between_sites->exchange->is_ring ? "" : "has no ring";
     },
     set_ring_order},
    {SchemeKind::between_sites,
     {"scheme.fan_out", kCount, kOwn, "Sites that each site of a tree passes a value on to."},
     [](const Scheme& scheme) -> Lack {
       return scheme.between_sites->exchange->fans_out ? "" : "has no tree";
     },
     [](const Setting& setting, Scheme& scheme) {
       scheme.between_sites->fan_out = whole_number(setting, 1, 1024);
     }},
    {SchemeKind::between_sites,
     {"scheme.quorum", kCount, kOwn, "Sites whose results the leader or the syncer waits for."},
     quorum,
     [](const Setting& setting, Scheme& scheme) {
       scheme.between_sites->quorum = whole_number(setting, 1, 1024);
     }},
    {SchemeKind::between_sites,
     {"scheme.grace", "time", kOwn,
      "How long the leader or the syncer keeps waiting once it has a quorum."},
     quorum,
     set_grace},
    {SchemeKind::between_sites,
     {"scheme.outer_state", "one of gpu, host", kOwn,
      "Where outer weights, momentum and residual are kept between exchanges."},
     [](const Scheme& scheme) -> Lack {
       const SiteExchange& exchange = *scheme.between_sites;
       if (exchange.gradients) return rounds(scheme);
       return exchange.state_bytes > 0 ? "" : "keeps no outer state";
     },
     [](const Setting& setting, Scheme& scheme) {
       scheme.between_sites->outer_state = one_of<OuterState>(setting, kOuterStates);
     }},
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

// Of two settings that contradict each other, the one that is given is to blame.
void check_steps(const SiteExchange& exchange, std::span<const Setting> settings) {
  const auto check = [&](const std::string& key, const char* what, int steps) {
    if (steps <= exchange.inner_steps) return;
    if (std::ranges::find(settings, key, &Setting::key) != settings.end()) {
      throw InputError(fmt::format("`set` {}: {} exceeds the {} inner steps of a round", key, steps,
                                   exchange.inner_steps));
    }
    throw InputError(fmt::format("`set` scheme.inner_steps: {} is less than the scheme's {} {}",
                                 exchange.inner_steps, steps, what));
  };
  check("scheme.fragments", "fragments", exchange.fragments);
  check("scheme.overlap_steps", "steps of overlap", exchange.overlap_steps);
  const std::int64_t across = std::int64_t{exchange.inner_steps} * exchange.across_every;
  if (across <= kMostSteps) return;
  throw InputError(
      fmt::format("`set` scheme.across_every: {} steps between two exchanges across "
                  "regions exceed the limit of {}",
                  across, kMostSteps));
}

}  // namespace

std::vector<TomlKey> scheme_settings(SchemeKind kind) {
  std::vector<TomlKey> keys;
  for (const SettingOfScheme& row : kSettings) {
    if (row.kind == kind) keys.push_back(row.key);
  }
  return keys;
}

bool takes(const Scheme& scheme, const Setting& setting) {
  return row_of(setting, scheme.kind()).lack(scheme).empty();
}

Scheme with_settings(Scheme scheme, std::span<const Setting> settings) {
  for (const Setting& setting : settings) {
    const SettingOfScheme& row = row_of(setting, scheme.kind());
    const Lack lack = row.lack(scheme);
    if (!lack.empty()) refuse(setting, fmt::format("{} {}", scheme.name, lack));
    row.set(setting, scheme);
  }
  if (scheme.between_sites) check_steps(*scheme.between_sites, settings);
  return scheme;
}

bool Scheme::is_defined_for(int zero_stage) const {
  return std::find(zero.begin(), zero.end(), zero_stage) != zero.end();
}

int Scheme::usual_stage() const { return is_defined_for(1) ? 1 : zero.front(); }

std::vector<const Wire*> Scheme::wires() const {
  if (between_sites) return {&between_sites->wire};
  return {&weights.wire, &gradients.inside, &gradients.between, &activations.tensor,
          &activations.pipeline};
}

bool GradientExchange::is_plain() const {
  if (algorithm->sends == Reduction::Sends::buffer) return true;
  return !algorithm->has_factors() && residual_bytes == 0 && inside.is_plain() &&
         between.is_plain();
}

}  // namespace sim
