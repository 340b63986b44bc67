// SPDX-License-Identifier: Apache-2.0
#include "apps/job/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/toml_keys.hpp"
#include "sim/reliability/reliability.hpp"
#include "sim/schemes/scheme.hpp"
#include "sim/topology/cluster.hpp"
#include "sim/topology/wide_area.hpp"
#include "sim/workload/model.hpp"

namespace apps {
namespace {

using sim::InputError;
using KeyNames = std::vector<std::string_view>;

// Of all files that a setting may be for.
KeyNames all_keys() {
  KeyNames keys;
  const auto add = [&](std::span<const sim::TomlKey> rows) {
    for (const sim::TomlKey& row : rows) keys.push_back(row.key);
  };
  add(sim::cluster_keys());
  add(sim::wide_area_keys());
  add(sim::model_keys());
  add(sim::reliability_keys());
  for (const auto kind : {sim::SchemeKind::inside, sim::SchemeKind::between_sites}) {
    add(sim::scheme_settings(kind));
  }
  return keys;
}

std::set<std::string_view> tables_of(const KeyNames& keys) {
  std::set<std::string_view> tables;
  for (const std::string_view key : keys) tables.insert(sim::first_part(key));
  return tables;
}

// The key that a key of an unknown table is meant to be: of a table with a similar name, or of one
// that has such a key. Empty if there is none.
std::string meant_key(const std::string& key, const KeyNames& keys, const KeyNames& tables) {
  const std::size_t dot = std::min(key.find('.'), key.size());
  const std::string_view table = sim::closest_name(sim::first_part(key), tables);
  if (dot == key.size() || table.empty()) {
    const std::string leaf = "." + key.substr(dot == key.size() ? 0 : dot + 1);
    const auto same = std::ranges::find_if(keys, [&](auto one) { return one.ends_with(leaf); });
    return same == keys.end() ? "" : std::string(*same);
  }
  KeyNames leaves;
  for (const std::string_view one : keys) {
    if (sim::first_part(one) != table || one == table || one.find("NAME") != one.npos) continue;
    leaves.push_back(one.substr(table.size() + 1));
  }
  const std::string_view leaf = std::string_view(key).substr(dot + 1);
  const std::string_view close = sim::closest_name(leaf, leaves);
  return fmt::format("{}.{}", table, close.empty() ? leaf : close);
}

// Readers know the tables of their own files alone.
void check_first_part(const std::string& key, const std::string& table) {
  static const KeyNames keys = all_keys();
  static const std::set<std::string_view> known = tables_of(keys);
  if (known.contains(table)) return;
  const std::string other = meant_key(key, keys, KeyNames(known.begin(), known.end()));
  if (other.empty()) return;  // left to the topology's reader
  throw InputError(
      fmt::format("--set {}: unknown table; did you mean {}?", sim::printable(key), other));
}

}  // namespace

bool sets(const JobOptions& options, std::string_view key) {
  return std::ranges::any_of(options.settings, [&](const std::string& setting) {
    return setting.size() > key.size() && setting.starts_with(key) && setting[key.size()] == '=';
  });
}

SortedSettings sort_settings(const JobOptions& options) {
  SortedSettings settings;
  for (const std::string& text : options.settings) {
    const auto equals = text.find('=');
    const std::string key = text.substr(0, equals);
    if (equals == std::string::npos || key.empty()) {
      throw InputError(
          fmt::format("--set: '{}' is not KEY=VALUE; write e.g. "
                      "--set network.nic_bandwidth=\"200 Gbps\"",
                      sim::printable(text)));
    }
    const std::string table(sim::first_part(key));
    check_first_part(key, table);
    auto& into = table == "model"                ? settings.model
                 : table == "scheme"             ? settings.scheme
                 : sim::is_of_reliability(table) ? settings.reliability
                                                 : settings.topology;
    into.push_back({key, text.substr(equals + 1)});
  }
  if (!options.nccl.empty()) {
    const auto version = sim::nccl_named(options.nccl, "--nccl");
    const std::string name(sim::name_of(version, sim::kNcclNames));
    settings.topology.push_back({"collectives.nccl", '"' + name + '"', "nccl"});
  }
  if (options.sequence != 0) {
    const std::string key = "model.sequence";
    if (std::ranges::find(settings.model, key, &sim::Setting::key) != settings.model.end()) {
      throw InputError("--sequence: conflicts with --set model.sequence; specify only one of them");
    }
    settings.model.push_back({key, std::to_string(options.sequence), "sequence"});
  }
  return settings;
}

void check_topology_settings(const JobOptions& options) {
  const SortedSettings settings = sort_settings(options);
  for (const auto* other : {&settings.model, &settings.scheme, &settings.reliability}) {
    if (other->empty()) continue;
    throw InputError(fmt::format("--set: {} is not a key of a topology", other->front().key));
  }
}

}  // namespace apps
