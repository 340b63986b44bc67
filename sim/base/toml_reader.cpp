// SPDX-License-Identifier: Apache-2.0
#include "sim/base/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "sim/base/error.hpp"

namespace sim {
namespace {

std::string_view noun_of(const TomlScalar& value) {
  struct Noun {
    std::string_view operator()(const std::string&) const { return "a string"; }
    std::string_view operator()(std::int64_t) const { return "a whole number"; }
    std::string_view operator()(double) const { return "a number with a fraction"; }
    std::string_view operator()(bool) const { return "a boolean"; }
    std::string_view operator()(const TomlOther& other) const { return other.noun; }
  };
  return std::visit(Noun{}, value);
}

template <class T>
std::optional<T> value_in(const TomlScalar& scalar) {
  const T* value = std::get_if<T>(&scalar);
  return value != nullptr ? std::optional<T>(*value) : std::nullopt;
}

std::optional<double> scalar_number(const TomlScalar& scalar) {
  const auto integer = value_in<std::int64_t>(scalar);
  return integer ? static_cast<double>(*integer) : value_in<double>(scalar);
}

// 1e12 is one, too.
std::optional<std::int64_t> whole_number(const TomlScalar& scalar) {
  const auto number = value_in<double>(scalar);
  if (!number) return value_in<std::int64_t>(scalar);
  if (*number != std::trunc(*number) || !(std::abs(*number) < 0x1p63)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

// What does not fit in an int counts tokens or bytes, not layers.
Counting counting_to(double highest) {
  return highest > std::numeric_limits<int>::max() ? Counting::large : Counting::small;
}

std::string_view number_within(const NumberRange& range) {
  return range.lowest <= 0.5 && range.highest >= 0.5 ? "0.5" : "2";
}

std::string_view noun_of(const TomlValue& value) {
  const auto* scalar = std::get_if<TomlScalar>(&value);
  return scalar != nullptr ? noun_of(*scalar) : "a list";
}

}  // namespace

std::string value_words(const IntegerRange& range) {
  return fmt::format("whole number from {} to {}", range.lowest, range.highest);
}

std::string value_words(const NumberRange& range) {
  return range.above_zero ? fmt::format("number above 0 and at most {}", range.highest)
                          : fmt::format("number from {} to {}", range.lowest, range.highest);
}

void TomlReader::note(const TomlPlace& place, std::string_view key, std::string_view what) {
  if (place.from_setting) {
    const auto setting = document_.settings.find(key);
    const std::string name =
        setting != document_.settings.end() ? setting->second : fmt::format("`set` {}", key);
    problems_.push_back({place, fmt::format("{}: {}", name, what)});
    return;
  }
  const std::string_view shown = key.starts_with("[") ? key : leaf_part(key);
  const std::string at = place.line == 0 ? "" : fmt::format(":{}:{}", place.line, place.column);
  problems_.push_back({place, fmt::format("{}{}: {}: {}", document_.file, at, shown, what)});
}

void TomlReader::wrong(std::string_view key, std::string_view what) {
  bad_.emplace(key);
  const auto leaf = document_.leaves.find(key);
  const auto table = document_.tables.find(key);
  note(leaf != document_.leaves.end()    ? leaf->second.place
       : table != document_.tables.end() ? table->second
                                         : TomlPlace{},
       key, what);
}

void TomlReader::inapplicable(std::string_view key, std::string_view why) {
  if (has(key)) wrong(key, why);
}

bool TomlReader::applies(std::string_view key, std::string_view chooser, bool goes_with_it) {
  if (!is_good(chooser)) return has(key);
  if (!goes_with_it) {
    inapplicable(key, fmt::format("does not apply with {} {}; remove it", leaf_part(chooser),
                                  text_in(chooser)));
  }
  return goes_with_it;
}

bool TomlReader::has(std::string_view key) {
  known_.emplace(key);
  known_tables_.emplace(table_part(key));
  return document_.leaves.contains(key);
}

bool TomlReader::is_good(std::string_view key) const {
  return document_.leaves.contains(key) && !bad_.contains(key);
}

bool TomlReader::is_settled(std::string_view key) const {
  return !bad_.contains(key) && std::ranges::find(missing_, key) == missing_.end();
}

const TomlValue* TomlReader::find(std::string_view key) {
  if (has(key)) return &document_.leaves.find(key)->second.value;
  if (std::ranges::find(missing_, key) == missing_.end()) missing_.emplace_back(key);
  return nullptr;
}

template <class T>
const T* TomlReader::find_as(std::string_view key, std::string_view wanted) {
  const TomlValue* value = find(key);
  if (value == nullptr) return nullptr;
  if (const auto* scalar = std::get_if<TomlScalar>(value)) {
    if (const T* result = std::get_if<T>(scalar)) return result;
  }
  wrong(key, fmt::format("is {}; write {}", noun_of(*value), wanted));
  return nullptr;
}

std::string TomlReader::bare_text(const TomlScalar& value) {
  if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  const auto number = scalar_number(value);
  return number ? fmt::format("{}", *number) : std::string(noun_of(value));
}

void TomlReader::expect(std::string_view key, std::string_view value) const {
  if (keys_.empty()) return;
  const TomlKey* row = row_of(keys_, key);
  if (row != nullptr && row->value == value) return;
  require(false, fmt::format("{} is read as: {}", key, value).c_str());
}

std::string TomlReader::text(std::string_view key) {
  expect(key, "string");
  return text_in(key);
}

std::string TomlReader::text_in(std::string_view key) {
  const auto* value = find_as<std::string>(key, "a string in quotes");
  if (value == nullptr) return {};
  if (value->empty()) wrong(key, "is empty; write at least one character");
  return *value;
}

void TomlReader::none_of(std::string_view key, std::string_view given,
                         std::span<const std::string_view> known, std::string_view remark) {
  std::string hint = sim::suggestion(given, known);
  if (hint.empty() && !remark.empty()) hint = fmt::format("; {}", remark);
  wrong(key, fmt::format("'{}' is not one of: {}{}", printable(given), joined(known), hint));
}

std::string_view TomlReader::example_of(std::string_view key) const {
  const TomlKey* row = row_of(keys_, key);
  return row != nullptr ? row->example : std::string_view{};
}

bool TomlReader::boolean(std::string_view key) {
  expect(key, "true or false");
  const bool* value = find_as<bool>(key, "true or false");
  return value != nullptr && *value;
}

void TomlReader::check_range(std::string_view key, std::int64_t value, const IntegerRange& range) {
  if (value >= range.lowest && value <= range.highest) return;
  wrong(key, fmt::format("{} is out of range; write a whole number from {} to {}", value,
                         range.lowest, range.highest));
}

template <class T>
std::optional<T> TomlReader::number_at(std::string_view key, const NumberForm<T>& form) {
  const TomlValue* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* scalar = std::get_if<TomlScalar>(value);
  if (const auto given = scalar == nullptr ? std::nullopt : form.get(*scalar)) return given;
  const auto* text = scalar == nullptr ? nullptr : std::get_if<std::string>(scalar);
  const Parsed<T> parsed = text != nullptr
                               ? form.parse(*text, form.counting, form.example)
                               : Parsed<T>{{},
                                           fmt::format("is {}; write a {} without quotes, e.g. {}",
                                                       noun_of(*value), form.noun, form.example)};
  if (!parsed.value) wrong(key, parsed.problem);
  return parsed.value;
}

std::int64_t TomlReader::integer(std::string_view key, const IntegerRange& range) {
  expect(key, value_words(range));
  const auto value =
      number_at<std::int64_t>(key, {"whole number", "8", whole_number, parse_count,
                                    counting_to(static_cast<double>(range.highest))});
  if (!value) return range.lowest;
  check_range(key, *value, range);
  return *value;
}

void TomlReader::check_range(std::string_view key, double value, const NumberRange& range) {
  // Written so that NaN is out of range.
  const bool above = range.above_zero ? value > 0 : value >= range.lowest;
  if (above && value <= range.highest) return;
  wrong(key, fmt::format("{} is out of range; write a number {} {} and at most {}", value,
                         range.above_zero ? "above" : "of at least", range.lowest, range.highest));
}

double TomlReader::number(std::string_view key, const NumberRange& range) {
  expect(key, value_words(range));
  return number_in(key, range);
}

double TomlReader::number_in(std::string_view key, const NumberRange& range) {
  const std::string_view own = example_of(key);
  const auto value =
      number_at<double>(key, {"number", own.empty() ? number_within(range) : own, scalar_number,
                              parse_number, counting_to(range.highest)});
  if (!value) return range.highest;
  check_range(key, *value, range);
  return *value;
}

template <class T>
std::vector<T> TomlReader::list(std::string_view key, std::optional<T> (*get)(const TomlScalar&),
                                std::string_view wanted) {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const auto* array = std::get_if<TomlArray>(value);
  std::vector<T> result;
  for (const TomlScalar& element : array != nullptr ? *array : TomlArray{}) {
    if (const auto one = get(element)) result.push_back(*one);
  }
  if (array == nullptr || result.empty() || result.size() != array->size()) {
    wrong(key, fmt::format("is not a list of {}", wanted));
    return {};
  }
  return result;
}

std::vector<double> TomlReader::numbers(std::string_view key, const NumberRange& range) {
  expect(key, fmt::format("{}, or a list of them", value_words(range)));
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (std::holds_alternative<TomlScalar>(*value)) return {number_in(key, range)};
  const auto result = list<double>(key, scalar_number, "numbers; write e.g. [9.5, 11, 12.5]");
  for (const double element : result) {
    if (is_good(key)) check_range(key, element, range);
  }
  return result;
}

std::vector<std::int64_t> TomlReader::integers(std::string_view key, const IntegerRange& range) {
  expect(key, "list of whole numbers");
  const auto result =
      list<std::int64_t>(key, value_in<std::int64_t>, "whole numbers; write e.g. [0, 0, 1, 1]");
  for (const std::int64_t element : result) {
    if (is_good(key)) check_range(key, element, range);
  }
  return result;
}

std::vector<std::string> TomlReader::texts(std::string_view key) {
  expect(key, "list of strings");
  return list<std::string>(key, value_in<std::string>,
                           "strings; write e.g. [\"first\", \"second\"]");
}

std::vector<std::string> TomlReader::tables_in(std::string_view table) {
  known_tables_.emplace(table);
  std::vector<std::string> names;
  for (const auto& [name, place] : document_.tables) {
    // One that only a setting names is a slip of the pen.
    if (table_part(name) == table && !place.from_setting) names.emplace_back(leaf_part(name));
  }
  return names;
}

std::vector<std::string> TomlReader::keys_in(std::string_view table) {
  known_tables_.emplace(table);
  std::vector<std::string> names;
  for (const auto& [key, leaf] : document_.leaves) {
    if (table_part(key) == table) names.emplace_back(leaf_part(key));
  }
  return names;
}

bool TomlReader::has_table(std::string_view table) {
  known_tables_.emplace(table);
  return document_.tables.contains(table);
}

void TomlReader::note_missing() {
  // One line for a table that is not there at all, however many of its keys are missed.
  std::map<std::string, std::string, std::less<>> absent;
  for (const std::string& key : missing_) {
    const std::string table(table_part(key));
    const auto place = document_.tables.find(table);
    if (!table.empty() && place == document_.tables.end()) {
      std::string& keys = absent[table];
      keys += fmt::format("{}{}", keys.empty() ? "" : ", ", leaf_part(key));
    } else if (table.empty()) {
      problems_.push_back({{},
                           fmt::format("{}:1:1: missing key {}; add it before the first table",
                                       document_.file, key)});
    } else {
      note(place->second.from_setting ? TomlPlace{} : place->second, fmt::format("[{}]", table),
           fmt::format("missing key {}; add it", leaf_part(key)));
    }
  }
  for (const auto& [table, keys] : absent) {
    const auto other = alternatives_.find(table);
    problems_.push_back(
        {{},
         fmt::format("{}:1:1: missing table [{}]; add it with {}{}", document_.file, table, keys,
                     other == alternatives_.end() ? "" : "; or " + other->second)});
  }
}

std::string TomlReader::suggestion(std::string_view key) const {
  std::vector<std::string_view> siblings;
  for (const std::string& known : known_) {
    if (table_part(known) == table_part(key)) siblings.push_back(leaf_part(known));
  }
  // "nic_latency" is meant to be "latency" beside "nic_bandwidth".
  const auto is_prefixed = [&](std::string_view sibling) {
    if (!leaf_part(key).ends_with(fmt::format("_{}", sibling))) return false;
    const std::string_view prefix =
        leaf_part(key).substr(0, leaf_part(key).size() - sibling.size());
    return std::ranges::any_of(siblings, [&](auto other) { return other.starts_with(prefix); });
  };
  const auto prefixed = std::ranges::find_if(siblings, is_prefixed);
  const std::string_view close =
      prefixed != siblings.end() ? *prefixed : closest_name(leaf_part(key), siblings);
  if (!close.empty()) return fmt::format("did you mean {}?", close);
  for (const std::string& known : known_) {
    if (leaf_part(known) == leaf_part(key)) return fmt::format("did you mean {}?", known);
  }
  return siblings.empty() ? "remove it" : fmt::format("known here: {}", joined(siblings));
}

void TomlReader::note_unknown() {
  const std::vector<std::string_view> tables(known_tables_.begin(), known_tables_.end());
  for (const auto& [table, place] : document_.tables) {
    // What lies in an unknown table is not reported again.
    if (known_tables_.contains(table) || !known_tables_.contains(table_part(table))) continue;
    if (problems_.size() > kMostProblems) return;
    const std::string_view close = closest_name(table, tables);
    note(place, table,
         known_.contains(table) ? "is a table; write a value"
         : close.empty()        ? std::string("unknown table; remove it")
                                : fmt::format("unknown table; did you mean [{}]?", close));
  }
  for (const auto& [key, leaf] : document_.leaves) {
    if (known_.contains(key)) continue;
    // An unknown table that the file opens is reported above; a dotted key in quotes opens none.
    const auto table = table_part(key);
    if (!known_tables_.contains(table) && document_.tables.contains(table)) continue;
    if (problems_.size() > kMostProblems) return;
    note(leaf.place, key,
         known_tables_.contains(key)
             ? fmt::format("is {}; write a table [{}]", noun_of(leaf.value), key)
             : "unknown key; " + suggestion(key));
  }
}

void TomlReader::finish() {
  known_tables_.emplace("");
  note_missing();
  note_unknown();
  std::ranges::stable_sort(problems_, {}, [](const Problem& problem) {
    return std::tuple(problem.place.from_setting, problem.place.line, problem.place.column);
  });
  std::vector<std::string> lines;
  for (const Problem& problem : problems_) lines.push_back(problem.line);
  throw_problems(document_.file, lines);
}

}  // namespace sim
