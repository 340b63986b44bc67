// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/rounds/outer_scheme.hpp"

namespace sim {
namespace {

void set_group(const Setting& setting, OuterScheme& scheme) {
  scheme.wire.group = multiple_of_32(setting);
}

void set_keep(const Setting& setting, OuterScheme& scheme) {
  const int keep = whole_number(setting, 2, static_cast<int>(scheme.wire.group));
  if (keep % 2 != 0) refuse(setting, fmt::format("{} is not even", keep));
  scheme.wire.keep = static_cast<std::size_t>(keep);
}

void apply_rounds(const Setting& setting, OuterScheme& scheme) {
  constexpr int kMostSteps = 100'000;
  if (setting.key == "scheme.inner_steps") {
    scheme.inner_steps = whole_number(setting, 1, kMostSteps);
  } else if (setting.key == "scheme.fragments") {
    scheme.fragments = whole_number(setting, 1, 1024);
  } else {
    scheme.overlap_steps = whole_number(setting, 0, kMostSteps);
  }
}

void set_quorum(const Setting& setting, OuterScheme& scheme) {
  scheme.quorum = whole_number(setting, 1, 1024);
}

void set_grace(const Setting& setting, OuterScheme& scheme) {
  const auto grace = parse_quantity<Seconds>(setting.value, "10 s");
  if (!grace.value) refuse(setting, grace.problem);
  scheme.grace = *grace.value;
}

bool has_rounds(const OuterScheme& scheme) { return !scheme.gradients; }
bool has_overlap(const OuterScheme& scheme) { return has_rounds(scheme) && !scheme.delayed; }
bool has_groups(const OuterScheme& scheme) {
  return scheme.wire.group > 1 && scheme.wire.keep == 0;
}
bool is_sparse(const OuterScheme& scheme) { return scheme.wire.keep > 0; }
bool has_quorum(const OuterScheme& scheme) { return scheme.exchange == Exchange::leader; }

struct Part {
  TomlKey key;
  bool (*of)(const OuterScheme& scheme);
  std::string_view lack;
  void (*set)(const Setting& setting, OuterScheme& scheme);
};
constexpr const char* kUsual = "the scheme's own";
constexpr const char* kEveryStep = "exchanges gradients in every step";
constexpr Part kParts[] = {
    {{"scheme.inner_steps", "whole number from 1 to 100000", kUsual,
      "Steps inside a site between two exchanges."},
     has_rounds,
     kEveryStep,
     apply_rounds},
    {{"scheme.fragments", "whole number from 1 to 1024", kUsual,
      "Parts of the model, exchanged one after another; at most `inner_steps`."},
     has_rounds,
     kEveryStep,
     apply_rounds},
    {{"scheme.overlap_steps", "whole number from 0 to 100000", kUsual,
      "Inner steps that overlap with the exchange; at most `inner_steps`."},
     has_overlap,
     "waits in every step, or never within a round",
     apply_rounds},
    {{"scheme.group", "multiple of 32", kUsual, "Elements that share a scale."},
     has_groups,
     "has no groups to set here",
     set_group},
    {{"scheme.keep", "even whole number from 2 to the group's size", kUsual,
      "Elements sent from each group."},
     is_sparse,
     "sends all elements",
     set_keep},
    {{"scheme.quorum", "whole number from 1 to 1024", kUsual,
      "Sites whose results the leader waits for."},
     has_quorum,
     "has no quorum",
     set_quorum},
    {{"scheme.grace", "time", kUsual, "How long the leader keeps waiting once it has a quorum."},
     has_quorum,
     "has no quorum",
     set_grace}};

const Part& part_of(const Setting& setting) {
  std::vector<std::string_view> known;
  for (const Part& part : kParts) {
    if (part.key.key == setting.key) return part;
    known.push_back(part.key.key);
  }
  refuse(setting, fmt::format("unknown key; known between sites: {}", fmt::join(known, ", ")));
}

}  // namespace

std::vector<TomlKey> outer_scheme_settings() {
  std::vector<TomlKey> keys;
  for (const Part& part : kParts) keys.push_back(part.key);
  return keys;
}

bool takes(const OuterScheme& scheme, const Setting& setting) {
  return part_of(setting).of(scheme);
}

OuterScheme with_settings(OuterScheme scheme, std::span<const Setting> settings) {
  for (const Setting& setting : settings) {
    const Part& part = part_of(setting);
    if (!part.of(scheme)) refuse(setting, fmt::format("{} {}", scheme.name, part.lack));
    part.set(setting, scheme);
  }
  if (scheme.fragments > scheme.inner_steps) {
    throw InputError(fmt::format("--set scheme.fragments: {} exceeds the {} inner steps of a round",
                                 scheme.fragments, scheme.inner_steps));
  }
  if (scheme.overlap_steps > scheme.inner_steps) {
    throw InputError(
        fmt::format("--set scheme.overlap_steps: {} exceeds the {} inner steps of a round",
                    scheme.overlap_steps, scheme.inner_steps));
  }
  return scheme;
}

}  // namespace sim
