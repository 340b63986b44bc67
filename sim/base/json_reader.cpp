// SPDX-License-Identifier: Apache-2.0
#include "sim/base/json_reader.hpp"

#include <fmt/format.h>
#include <rapidjson/document.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/json_events.hpp"
#include "sim/base/latest.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

using rapidjson::Value;

std::string text_of(const Value& value) { return {value.GetString(), value.GetStringLength()}; }
std::string_view view_of(const Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

const Value* find(const Value& value, std::string_view key) {
  if (!value.IsObject()) return nullptr;
  for (const auto& member : value.GetObject()) {
    if (view_of(member.name) == key) return &member.value;
  }
  return nullptr;
}

bool is_structured(const Value& value) { return value.IsObject() || value.IsArray(); }
std::size_t size_of(const Value& value) {
  return value.IsObject() ? value.MemberCount() : value.Size();
}
const Value& child_of(const Value& value, std::size_t index) {
  const auto i = static_cast<rapidjson::SizeType>(index);
  return value.IsObject() ? (value.MemberBegin() + static_cast<std::ptrdiff_t>(index))->value
                          : value[i];
}

// A value that holds others, on the way to one of them, and which of its own is tried.
struct Visit {
  const Value* value;
  std::size_t index = 0;

  [[nodiscard]] std::string step() const {
    return "/" + (value->IsArray()
                      ? std::to_string(index)
                      : printable(text_of(
                            (value->MemberBegin() + static_cast<std::ptrdiff_t>(index))->name)));
  }
};

// Visits all values below the root until `visit` answers true, and returns the way to that one.
// Without recursion, for what is nested may be nested deeply.
template <class Function>
std::vector<Visit> find_below(const Value& root, Function visit) {
  std::vector<Visit> way;
  if (is_structured(root)) way.push_back({&root});
  while (!way.empty()) {
    const auto [value, index] = way.back();
    if (index == size_of(*value)) {
      way.pop_back();
      if (!way.empty()) ++way.back().index;
      continue;
    }
    const Value& child = child_of(*value, index);
    if (visit(child)) return way;
    if (is_structured(child)) {
      way.push_back({&child});
    } else {
      ++way.back().index;
    }
  }
  return {};
}

// Values know no path, so that reading what is right costs nothing for it: it is looked for when
// something is wrong.
std::string path_to(const Value& root, const Value& wanted) {
  std::string path;
  if (&root == &wanted) return path;
  for (const Visit& one : find_below(root, [&](const Value& value) { return &value == &wanted; })) {
    path += one.step();
  }
  return path;
}

// A key that the object has twice.
std::optional<std::string_view> repeated_key(const Value& object) {
  std::vector<std::string_view> keys;
  keys.reserve(object.MemberCount());
  for (const auto& member : object.GetObject()) keys.push_back(view_of(member.name));
  std::ranges::sort(keys);
  const auto twice = std::ranges::adjacent_find(keys);
  return twice == keys.end() ? std::nullopt : std::optional(*twice);
}

void refuse_repeated_keys(const Value& root, const std::string& file) {
  const auto check = [&](const Value& value) {
    if (!value.IsObject()) return false;
    if (const auto key = repeated_key(value)) {
      throw InputError(fmt::format("{}: key {} appears twice", file, printable(std::string(*key))));
    }
    return false;
  };
  check(root);
  find_below(root, check);
}

JsonDocument parsed(std::string_view text, const std::filesystem::path& file,
                    NotFinite not_finite) {
  const std::string name = printable_path(file);
  auto value = std::make_shared<rapidjson::Document>();
  const auto tell = [&](rapidjson::Document& all) {
    return tell_json(text, name, all, not_finite);
  };
  value->Populate(tell);
  refuse_repeated_keys(*value, name);
  return {std::move(value), name};
}

bool is_number(const Value& value) { return value.IsNumber() && std::isfinite(value.GetDouble()); }

}  // namespace

JsonDocument parse_json(std::string_view text, const std::filesystem::path& file) {
  return parsed(text, file, NotFinite::refused);
}

JsonDocument parse_json_of_python(std::string_view text, const std::filesystem::path& file) {
  return parsed(text, file, NotFinite::read);
}

// Tables that a process reads again for each question.
JsonDocument read_json(const std::filesystem::path& file) {
  struct Read {
    std::string text;
    JsonDocument document;
  };
  constexpr std::int64_t kMostKeptBytes = 4 << 20;
  static Latest<Read> last(kMostKeptBytes);
  std::string text = read_input(file, kMostDataBytes);
  const std::string name = printable_path(file);
  const auto is_same = [&](const Read& one) {
    return one.document.file == name && one.text == text;
  };
  if (const auto known = last.find(is_same)) return known->document;
  JsonDocument document = parse_json(text, file);
  const auto size = static_cast<std::int64_t>(text.size());
  if (size <= kMostKeptBytes) {
    last.add(std::make_shared<const Read>(Read{std::move(text), document}), size);
  }
  return document;
}

JsonReader::JsonReader(const JsonDocument& document) : JsonReader(document, *document.value) {}
JsonReader::JsonReader(const JsonDocument& document, const Value& value)
    : document_(&document), value_(&value) {}

void JsonReader::fail(const std::string& what) const {
  const std::string path = path_to(*document_->value, *value_);
  throw InputError(fmt::format("{}: {}: {}", document_->file, path.empty() ? "/" : path, what));
}

JsonReader JsonReader::at(const std::string& key) const {
  const Value* const value = find(*value_, key);
  if (value == nullptr) fail("missing key " + key);
  return {*document_, *value};
}

bool JsonReader::has(const std::string& key) const { return find(*value_, key) != nullptr; }

JsonKind JsonReader::kind() const {
  switch (value_->GetType()) {
    case rapidjson::kNullType:
      return JsonKind::null;
    case rapidjson::kFalseType:
    case rapidjson::kTrueType:
      return JsonKind::truth;
    case rapidjson::kNumberType:
      return JsonKind::number;
    case rapidjson::kStringType:
      return JsonKind::text;
    case rapidjson::kArrayType:
      return JsonKind::list;
    case rapidjson::kObjectType:
      return JsonKind::object;
  }
  throw std::logic_error("a kind of JSON");
}

void JsonReader::require_object() const {
  if (!value_->IsObject()) fail("is not an object");
}

void JsonReader::only(std::initializer_list<std::string_view> known) const {
  require_object();
  for (const auto& member : value_->GetObject()) {
    if (std::ranges::find(known, view_of(member.name)) == known.end()) {
      fail(
          fmt::format("unknown key {}; known: {}", printable(text_of(member.name)), joined(known)));
    }
  }
}

std::string JsonReader::any_text() const {
  if (!value_->IsString()) fail("is not a string");
  return text_of(*value_);
}

std::string JsonReader::text() const {
  auto text = any_text();
  if (std::ranges::any_of(text, [](unsigned char c) { return std::iscntrl(c) != 0; })) {
    fail("holds a line break or another control character");
  }
  return text;
}

bool JsonReader::truth() const {
  if (!value_->IsBool()) fail("is neither true nor false");
  return value_->GetBool();
}

double JsonReader::number() const {
  if (!is_number(*value_)) fail("is not a number");
  return value_->GetDouble();
}

double JsonReader::not_negative() const {
  if (!is_number(*value_) || !(value_->GetDouble() >= 0)) fail("is not a number of at least 0");
  return value_->GetDouble();
}

double JsonReader::positive() const {
  if (!is_number(*value_) || !(value_->GetDouble() > 0)) fail("is not a number above 0");
  return value_->GetDouble();
}

double JsonReader::whole(double highest) const {
  const double number = positive();
  if (number > highest || number != std::floor(number)) {
    fail(fmt::format("is not a whole number from 1 to {}", highest));
  }
  return number;
}

void JsonReader::each(const std::function<void(const JsonReader&)>& visit) const {
  if (!value_->IsArray()) fail("is not a list");
  for (const Value& element : value_->GetArray()) visit({*document_, element});
}

std::size_t JsonReader::size() const {
  if (!value_->IsArray() || value_->Empty()) fail("is not a list with elements");
  return value_->Size();
}

JsonReader JsonReader::element(std::size_t index, std::size_t count) const {
  if (size() != count) fail(fmt::format("has {} elements, not {}", size(), count));
  return {*document_, child_of(*value_, index)};
}

void JsonReader::each_key(
    const std::function<void(const std::string&, const JsonReader&)>& visit) const {
  require_object();
  std::map<std::string, const Value*> sorted;
  for (const auto& member : value_->GetObject())
    sorted.emplace(text_of(member.name), &member.value);
  for (const auto& [key, value] : sorted) visit(key, {*document_, *value});
}

template <class Json>
Json JsonReader::copied(const Value& value, int depth) const {
  constexpr int kDeepest = 50;
  if (depth > kDeepest) fail("is nested too deeply");
  Json result;
  if (value.IsBool()) result = value.GetBool();
  if (value.IsUint64()) {
    result = value.GetUint64();
  } else if (value.IsInt64()) {
    result = value.GetInt64();
  } else if (value.IsNumber()) {
    result = value.GetDouble();
  }
  if (value.IsString()) result = text_of(value);
  if (value.IsArray()) {
    result = Json::array();
    for (const Value& one : value.GetArray()) result.push_back(copied<Json>(one, depth + 1));
  }
  if (value.IsObject()) {
    result = Json::object();
    for (const auto& one : value.GetObject()) {
      result[text_of(one.name)] = copied<Json>(one.value, depth + 1);
    }
  }
  return result;
}

nlohmann::json JsonReader::copy() const { return copied<nlohmann::json>(*value_, 0); }

nlohmann::ordered_json JsonReader::ordered_copy() const {
  return copied<nlohmann::ordered_json>(*value_, 0);
}

}  // namespace sim
