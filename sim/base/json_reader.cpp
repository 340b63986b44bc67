// SPDX-License-Identifier: Apache-2.0
#include "sim/base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/json_events.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

using Json = nlohmann::json;

// A value on the way to the one that is looked for, and which of its own is tried.
struct Visit {
  const Json* value;
  Json::const_iterator next;
  std::size_t index = 0;

  [[nodiscard]] std::string step() const {
    return "/" + (value->is_array() ? std::to_string(index) : printable(next.key()));
  }
};

// Values know no path, so that reading what is right costs nothing for it: it is looked for when
// something is wrong. Without recursion, for what is nested may be nested deeply.
std::string path_to(const Json& root, const Json& wanted) {
  if (&root == &wanted) return "";
  std::vector<Visit> way{{&root, root.begin()}};
  const auto go_on = [&] {
    ++way.back().next;
    ++way.back().index;
  };
  while (!way.empty()) {
    if (way.back().next == way.back().value->end()) {
      way.pop_back();
      if (!way.empty()) go_on();
      continue;
    }
    const Json& value = *way.back().next;
    if (&value == &wanted) break;
    if (value.is_structured()) {
      way.push_back({&value, value.begin()});
    } else {
      go_on();
    }
  }
  std::string path;
  for (const Visit& one : way) path += one.step();
  return path;
}

// Builds the value that a text holds.
class Builder {
 public:
  explicit Builder(const std::string& file) : file_(file) {}
  [[nodiscard]] Json take() { return std::move(root_); }

  bool Null() { return add(nullptr); }
  bool Bool(bool value) { return add(value); }
  bool Int(int value) { return add(value); }
  bool Uint(unsigned value) { return add(value); }
  bool Int64(std::int64_t value) { return add(value); }
  bool Uint64(std::uint64_t value) { return add(value); }
  bool Double(double value) { return add(value); }
  bool RawNumber(const char*, unsigned, bool) { return false; }  // not asked for
  bool String(const char* text, unsigned size, bool) { return add(std::string(text, size)); }
  bool StartObject() { return enter(Json::object()); }
  bool Key(const char* text, unsigned size, bool) {
    const auto [at, is_new] = open_.back()->get_ref<Json::object_t&>().try_emplace({text, size});
    if (!is_new)
      throw InputError(fmt::format("{}: key {} appears twice", file_, printable(at->first)));
    member_ = &at->second;
    return true;
  }
  bool EndObject(unsigned) { return leave(); }
  bool StartArray() { return enter(Json::array()); }
  bool EndArray(unsigned) { return leave(); }

 private:
  Json& put(Json value) {
    if (open_.empty()) return root_ = std::move(value);
    if (open_.back()->is_object()) return *member_ = std::move(value);
    return open_.back()->emplace_back(std::move(value));
  }
  bool add(Json value) {
    put(std::move(value));
    return true;
  }
  bool enter(Json value) {
    open_.push_back(&put(std::move(value)));
    return true;
  }
  bool leave() {
    open_.pop_back();
    return true;
  }

  const std::string& file_;
  Json root_;
  std::vector<Json*> open_;  // the objects and lists around the place
  Json* member_ = nullptr;   // of the innermost object, what its last key is for
};

// Takes the texts of some keys of the outermost object, and stops when it has all.
class FirstTexts : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, FirstTexts> {
 public:
  explicit FirstTexts(const std::vector<std::string>& keys) : keys_(keys), found_(keys.size()) {}
  [[nodiscard]] const std::vector<std::optional<std::string>>& found() const { return found_; }

  bool String(const char* text, unsigned size, bool) {
    const auto at = std::ranges::find(keys_, key_);
    if (depth_ == 1 && at != keys_.end()) {
      found_[static_cast<std::size_t>(at - keys_.begin())] = std::string(text, size);
    }
    return !std::ranges::all_of(found_, [](const auto& one) { return one.has_value(); });
  }
  bool Key(const char* text, unsigned size, bool) {
    if (depth_ == 1) key_.assign(text, size);
    return true;
  }
  bool StartObject() { return ++depth_ > 0; }
  bool EndObject(unsigned) { return --depth_ >= 0; }
  bool StartArray() { return ++depth_ > 0; }
  bool EndArray(unsigned) { return --depth_ >= 0; }

 private:
  const std::vector<std::string>& keys_;
  std::vector<std::optional<std::string>> found_;
  std::string key_;
  int depth_ = 0;
};

}  // namespace

JsonDocument parse_json(std::string_view text, const std::filesystem::path& file) {
  JsonDocument document{.value = {}, .file = printable_path(file)};
  Builder builder(document.file);
  tell_json(text, document.file, builder);
  document.value = builder.take();
  return document;
}

JsonDocument read_json(const std::filesystem::path& file) {
  return parse_json(read_input(file, kMostDataBytes), file);
}

std::vector<std::string> first_texts(const std::filesystem::path& file,
                                     const std::vector<std::string>& keys) {
  FirstTexts handler(keys);
  tell_json(read_input(file, kMostDataBytes), printable_path(file), handler);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (handler.found()[i]) continue;
    throw InputError(fmt::format("{}: has no text {}", printable_path(file), keys[i]));
  }
  std::vector<std::string> texts;
  for (const auto& one : handler.found()) texts.push_back(*one);
  return texts;
}

JsonReader::JsonReader(const JsonDocument& document, const Json& value)
    : document_(&document), value_(&value) {}

void JsonReader::fail(const std::string& what) const {
  const std::string path = path_to(document_->value, *value_);
  throw InputError(fmt::format("{}: {}: {}", document_->file, path.empty() ? "/" : path, what));
}

JsonReader JsonReader::at(const std::string& key) const {
  if (!has(key)) fail("missing key " + key);
  return {*document_, value_->at(key)};
}

bool JsonReader::has(const std::string& key) const {
  return value_->is_object() && value_->contains(key);
}

void JsonReader::only(std::initializer_list<std::string_view> known) const {
  if (!value_->is_object()) fail("is not an object");
  for (const auto& [key, value] : value_->items()) {
    if (std::ranges::find(known, key) == known.end()) {
      fail(fmt::format("unknown key {}; known: {}", printable(key), joined(known)));
    }
  }
}

std::string JsonReader::text() const {
  if (!value_->is_string()) fail("is not a string");
  auto text = value_->get<std::string>();
  if (std::ranges::any_of(text, [](unsigned char c) { return std::iscntrl(c) != 0; })) {
    fail("holds a line break or another control character");
  }
  return text;
}

double JsonReader::not_negative() const {
  if (!value_->is_number() || !(value_->get<double>() >= 0)) fail("is not a number of at least 0");
  return value_->get<double>();
}

double JsonReader::positive() const {
  if (!value_->is_number() || !(value_->get<double>() > 0)) fail("is not a number above 0");
  return value_->get<double>();
}

double JsonReader::whole(double highest) const {
  const double number = positive();
  if (number > highest || number != std::floor(number)) {
    fail(fmt::format("is not a whole number from 1 to {}", highest));
  }
  return number;
}

void JsonReader::each(const std::function<void(const JsonReader&)>& visit) const {
  if (!value_->is_array()) fail("is not a list");
  for (const Json& element : *value_) visit({*document_, element});
}

std::size_t JsonReader::size() const {
  if (!value_->is_array() || value_->empty()) fail("is not a list with elements");
  return value_->size();
}

JsonReader JsonReader::element(std::size_t index, std::size_t count) const {
  if (size() != count) fail(fmt::format("has {} elements, not {}", size(), count));
  return {*document_, value_->at(index)};
}

void JsonReader::each_key(
    const std::function<void(const std::string&, const JsonReader&)>& visit) const {
  if (!value_->is_object()) fail("is not an object");
  for (const auto& [key, value] : value_->items()) visit(key, {*document_, value});
}

}  // namespace sim
