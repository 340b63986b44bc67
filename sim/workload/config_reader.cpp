// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/config_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"

namespace sim {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxListed = 4;

std::string scalar_text(const Json& value) {
  if (value.is_array()) return value.empty() ? "[]" : "[...]";
  if (value.is_object()) return value.empty() ? "{}" : "{...}";
  if (value.is_number_float() && !std::isfinite(value.get<double>())) {  // dump() writes null
    const double number = value.get<double>();
    return std::isnan(number) ? "NaN" : number < 0 ? "-Infinity" : "Infinity";
  }
  return value.dump();
}

// `value` as a message shows it. Not dump() of the whole: that recurses over what is nested.
std::string text_of(const Json& value) {
  if (!value.is_array() || value.size() > kMaxListed) return printable(scalar_text(value));
  std::string text;
  for (const Json& element : value) text += (text.empty() ? "" : ", ") + scalar_text(element);
  return printable("[" + text + "]");
}

bool is_nothing(const Json& value) {
  return value.is_null() || value == Json(false) || value == Json(0) || value == Json("") ||
         (value.is_structured() && value.empty());
}

}  // namespace

ConfigReader::ConfigReader(const JsonDocument& document, std::span<const std::string_view> harmless)
    : file_(document.file),
      root_(JsonReader(document).copy()),
      harmless_(harmless),
      place_{&root_, {}, {}} {
  if (!root_.is_object()) {
    throw InputError(file_ + ": is not a JSON object; specify a model's config.json");
  }
}

std::string ConfigReader::path_of(std::string_view key) const {
  return place_.prefix + printable(key);
}

const Json* ConfigReader::find(std::string_view key) {
  place_.known.emplace(key);
  const auto found = place_.object->find(std::string(key));
  return found == place_.object->end() ? nullptr : &*found;
}

bool ConfigReader::has(std::string_view key) {
  const Json* value = find(key);
  return value != nullptr && !value->is_null();
}

void ConfigReader::assume(std::string_view key, int value) {
  if (!has(key)) (*place_.object)[std::string(key)] = value;
}

bool ConfigReader::is_something(std::string_view key) {
  const Json* value = find(key);
  return value != nullptr && !is_nothing(*value);
}

bool ConfigReader::require(std::string_view key) {
  if (find(key) != nullptr) return true;
  bad_.insert(path_of(key));
  problems_.push_back(fmt::format("{}: missing key {}", file_, path_of(key)));
  return false;
}

int ConfigReader::count(std::string_view key, const IntegerRange& range) {
  if (!require(key)) return static_cast<int>(range.lowest);
  const Json& value = *find(key);
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  if (number != std::floor(number) || number < static_cast<double>(range.lowest) ||
      number > static_cast<double>(range.highest)) {
    wrong(key, fmt::format("is not a whole number from {} to {}", range.lowest, range.highest));
    return static_cast<int>(range.lowest);
  }
  return static_cast<int>(number);
}

int ConfigReader::count_or(std::string_view key, const IntegerRange& range, int otherwise) {
  return has(key) ? count(key, range) : otherwise;
}

bool ConfigReader::flag_or(std::string_view key, bool otherwise) {
  if (!has(key)) return otherwise;
  const Json& value = *find(key);
  if (value.is_boolean()) return value.get<bool>();
  wrong(key, "is not true or false");
  return otherwise;
}

double ConfigReader::number_or(std::string_view key, double otherwise) {
  if (!has(key)) return otherwise;
  const Json& value = *find(key);
  constexpr double kMost = 1e9;
  const double number = value.is_number() ? value.get<double>() : -1;
  if (number >= 0 && number <= kMost) return number;
  wrong(key, fmt::format("is not a number from 0 to {}", kMost));
  return otherwise;
}

std::string ConfigReader::text_or(std::string_view key, std::string_view otherwise) {
  if (!has(key)) return std::string(otherwise);
  const Json& value = *find(key);
  if (value.is_string()) return value.get<std::string>();
  wrong(key, "is not a string");
  return std::string(otherwise);
}

std::string ConfigReader::only_text(std::string_view key) {
  if (!require(key)) return {};
  const Json& value = *find(key);
  if (value.is_array() && value.size() == 1 && value[0].is_string()) {
    return value[0].get<std::string>();
  }
  wrong(key, "is not a list of one string");
  return {};
}

std::vector<std::string> ConfigReader::texts(std::string_view key) {
  std::vector<std::string> all;
  if (!has(key)) return all;
  const Json& list = *find(key);
  const auto is_text = [](const Json& element) { return element.is_string(); };
  if (!list.is_array() || !std::ranges::all_of(list, is_text)) {
    wrong(key, "is not a list of strings");
    return all;
  }
  for (const Json& element : list) all.push_back(element.get<std::string>());
  return all;
}

std::vector<int> ConfigReader::integers(std::string_view key, const IntegerRange& range) {
  std::vector<int> all;
  if (!has(key)) return all;
  const Json& list = *find(key);
  const auto fits = [&](const Json& element) {
    return element.is_number_integer() &&
           element.get<double>() >= static_cast<double>(range.lowest) &&
           element.get<double>() <= static_cast<double>(range.highest);
  };
  if (!list.is_array() || !std::ranges::all_of(list, fits)) {
    wrong(key,
          fmt::format("is not a list of whole numbers from {} to {}", range.lowest, range.highest));
    return all;
  }
  for (const Json& element : list) all.push_back(element.get<int>());
  return all;
}

int ConfigReader::size_of(std::string_view key) {
  const Json* value = find(key);
  return value != nullptr && value->is_structured() ? static_cast<int>(value->size()) : 0;
}

std::optional<double> ConfigReader::number_within(std::string_view key, std::string_view inner) {
  const Json* outer = find(key);
  if (outer == nullptr || !outer->is_object()) return std::nullopt;
  const auto found = outer->find(std::string(inner));
  if (found == outer->end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

bool ConfigReader::all_good(std::initializer_list<std::string_view> keys) const {
  return std::ranges::none_of(keys, [&](auto key) { return bad_.contains(path_of(key)); });
}

void ConfigReader::bad(std::string_view key, std::string_view before, std::string_view what) {
  const Json* value = find(key);
  bad_.insert(path_of(key));
  problems_.push_back(fmt::format("{}: {}{} = {}: {}", file_, before, path_of(key),
                                  value == nullptr ? "null" : text_of(*value), what));
}

void ConfigReader::wrong(std::string_view key, std::string_view what) { bad(key, "", what); }

void ConfigReader::unsupported(std::string_view key, std::string_view why) {
  bad(key, "unsupported: ", why);
}

void ConfigReader::not_modelled(std::string_view key, std::string_view why, const Json& harmless) {
  const Json* value = find(key);
  if (value == nullptr || is_nothing(*value) || *value == harmless) return;
  const auto is_harmless = [&](const Json& element) { return element == harmless; };
  if (!value->is_array() || !std::ranges::all_of(*value, is_harmless)) unsupported(key, why);
}

void ConfigReader::ignore(std::span<const std::string_view> keys) {
  place_.known.insert(keys.begin(), keys.end());
}

std::optional<ConfigReader::Place> ConfigReader::enter(std::string_view key) {
  if (!has(key)) return std::nullopt;
  Json* inner = &place_.object->at(std::string(key));
  if (!inner->is_object()) {
    wrong(key, "is not an object");
    return std::nullopt;
  }
  return std::exchange(place_, Place{inner, path_of(key) + ".", {}});
}

void ConfigReader::leave(Place to) { place_ = std::move(to); }

void ConfigReader::note_unknown() {
  for (const auto& [key, value] : place_.object->items()) {
    if (was_read(key) || std::ranges::count(harmless_, key) > 0) continue;
    if (problems_.size() > kMostProblems) return;
    bad(key, "unknown key ", "remove the key if it does not change the arithmetic");
  }
}

void ConfigReader::finish() const { throw_problems(file_, problems_); }

}  // namespace sim
