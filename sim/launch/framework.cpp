// SPDX-License-Identifier: Apache-2.0
#include "sim/launch/framework.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/letters.hpp"
#include "sim/launch/frameworks/rows.hpp"

namespace sim::launch {
namespace {

bool same_letter(char a, char b) {
  return a == b || (a == '-' && b == '_') || (a == '_' && b == '-');
}

// "?" is a part that an excerpt of a file has lost.
bool same_part(std::string_view pattern, std::string_view given) {
  if (given == "?") return true;
  if (!pattern.ends_with('*')) return std::ranges::equal(pattern, given, same_letter);
  pattern.remove_suffix(1);
  return given.size() >= pattern.size() &&
         std::ranges::equal(pattern, given.substr(0, pattern.size()), same_letter);
}

// As YAML and Python write truth.
std::string plain(std::string_view value) {
  const std::string text = in_lower_case(value.substr(0, value.find(' ')));
  if (text == "yes" || text == "on") return "true";
  if (text == "no" || text == "off") return "false";
  return text.empty() || text == "~" || text == "none" ? "null" : text;
}

template <class Visit>
void each_alternative(std::string_view list, const Visit& visit) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find('|'), list.size());
    visit(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
}

}  // namespace

std::span<const Framework* const> all_frameworks() {
  static constexpr std::array all{&frameworks::torchtitan,    &frameworks::mlperf,
                                  &frameworks::nemo,          &frameworks::nanotron,
                                  &frameworks::gpt_neox,      &frameworks::axolotl,
                                  &frameworks::llama_factory, &frameworks::megatron};
  return all;
}

bool is_key(std::string_view pattern, std::string_view key) {
  while (!pattern.empty() && !key.empty()) {
    const std::string_view part = pattern.substr(0, pattern.find('.'));
    const std::string_view given = key.substr(0, key.find('.'));
    if (part == "*" && part.size() == pattern.size()) return true;
    if (!same_part(part, given)) return false;
    pattern.remove_prefix(std::min(part.size() + 1, pattern.size()));
    key.remove_prefix(std::min(given.size() + 1, key.size()));
  }
  return pattern.empty() && key.empty();
}

const Framework& framework_of(const Document& document) {
  for (const Framework* framework : all_frameworks()) {
    for (const std::string_view mark : framework->marks) {
      const bool found = std::ranges::any_of(
          document.entries, [&](const Entry& entry) { return is_key(mark, entry.key); });
      if (found) return *framework;
    }
  }
  std::vector<std::string_view> titles;
  for (const Framework* framework : all_frameworks()) titles.push_back(framework->title);
  throw InputError(fmt::format("{}:1: has no key by which to tell its framework; give {}",
                               document.file, joined(titles, " or ")));
}

const KeyRow* row_of(const Framework& framework, std::string_view key) {
  const KeyRow* found = nullptr;
  for (const std::span<const KeyRow> rows : {framework.keys, framework.shared}) {
    for (const KeyRow& row : rows) {
      if (!is_key(row.key, key)) continue;
      if (row.key.find('*') == std::string_view::npos) return &row;
      if (found == nullptr) found = &row;
    }
  }
  return found;
}

std::optional<std::string> fact_value(const KeyRow& row, std::string_view value) {
  const std::string given = plain(value);
  if (row.values.empty()) {
    const std::string_view first = value.substr(0, value.find(' '));
    return given == "null" ? std::string() : std::string(first);
  }
  std::optional<std::string> answer;
  const std::string own(value.substr(0, value.find(' ')));
  each_alternative(row.values, [&](std::string_view one) {
    const std::size_t equals = one.find('=');
    const std::string_view key = one.substr(0, equals);
    if (!answer && (key == given || key == "*")) answer = one.substr(equals + 1);
  });
  if (answer == "*") answer = own;
  if (!answer && given == "null") return "";
  return answer;
}

bool is_listed(std::string_view value, std::string_view values) {
  const std::string given = plain(value);
  bool found = false;
  each_alternative(values, [&](std::string_view one) { found = found || one == given; });
  return found;
}

namespace {

// The key that says one fact.
std::optional<KeyValue> key_of_fact(const Framework& framework, std::string_view field,
                                    std::string_view value, const Document& document) {
  std::optional<KeyValue> first;
  std::vector<KeyRow> rows(framework.keys.begin(), framework.keys.end());
  rows.insert(rows.end(), framework.shared.begin(), framework.shared.end());
  for (const KeyRow& row : rows) {
    if (row.effect != KeyRow::Effect::means || row.fact != field || row.key.starts_with('$') ||
        row.key.find('*') != std::string_view::npos)
      continue;
    std::optional<std::string> own;
    if (row.values.empty()) own = std::string(value);
    each_alternative(row.values, [&](std::string_view one) {
      const std::size_t equals = one.find('=');
      if (!own && one.substr(equals + 1) == value && one.substr(0, equals) != "*")
        own = one.substr(0, equals);
    });
    if (!own) continue;
    if (find_alike(document, row.key) != nullptr) return KeyValue{row.key, *own};
    if (!first) first = KeyValue{row.key, *own};
  }
  return first;
}

// The facts of which frameworks derive a field, where the field is no fact itself.
struct Behind {
  std::string_view field, value;  // an empty value is any
  std::string_view fact;
  std::string_view fact_value = {};  // empty: the field's
};
constexpr Behind kBehind[] = {{"recompute", "", "_granularity"},
                              {"recompute", "", "_mode"},
                              {"recompute", "", "_recompute"},
                              {"zero", "1", "_distributed", "true"},
                              {"zero", "3", "_fsdp", "true"},
                              {"zero", "", "_stage"},
                              {"zero", "", "_fsdp"},
                              {"micro-batch", "", "_local_batch"},
                              {"overlap", "gradients", "_overlap_gradients", "true"},
                              {"overlap", "weights", "_overlap_weights", "true"},
                              {"overlap", "tensor", "_overlap_tensor", "true"},
                              {"overlap", "pipeline", "_overlap_pipeline", "true"},
                              {"overlap", "gradients", "_overlap", "true"},
                              {"gradient-precision", "", "_reduce"}};

}  // namespace

std::optional<KeyValue> key_for(const Framework& framework, std::string_view field,
                                std::string_view value, const Document& document) {
  if (auto key = key_of_fact(framework, field, value, document)) return key;
  for (const Behind& row : kBehind) {
    if (row.field != field || !(row.value.empty() || row.value == value)) continue;
    const std::string_view fact_value = row.fact_value.empty() ? value : row.fact_value;
    if (auto key = key_of_fact(framework, row.fact, fact_value, document)) return key;
  }
  return std::nullopt;
}

const Entry* find_alike(const Document& document, std::string_view key) {
  const Entry* last = nullptr;
  for (const Entry& entry : document.entries) {
    if (is_key(key, entry.key)) last = &entry;
  }
  return last;
}

}  // namespace sim::launch
