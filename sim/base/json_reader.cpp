// SPDX-License-Identifier: Apache-2.0
#include "sim/base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/joined.hpp"
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

// Takes the texts of some keys of the outermost object, and stops when it has all.
class FirstTexts : public nlohmann::json_sax<Json> {
 public:
  explicit FirstTexts(const std::vector<std::string>& keys) : keys_(keys), found_(keys.size()) {}
  [[nodiscard]] const std::vector<std::optional<std::string>>& found() const { return found_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool string(string_t& value) override {
    const auto at = std::ranges::find(keys_, key_);
    if (depth_ == 1 && at != keys_.end()) {
      found_[static_cast<std::size_t>(at - keys_.begin())] = value;
    }
    return !std::ranges::all_of(found_, [](const auto& one) { return one.has_value(); });
  }
  bool key(string_t& value) override {
    if (depth_ == 1) key_ = value;
    return true;
  }
  bool start_object(std::size_t) override { return ++depth_ > 0; }
  bool end_object() override { return --depth_ >= 0; }
  bool start_array(std::size_t) override { return ++depth_ > 0; }
  bool end_array() override { return --depth_ >= 0; }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  const std::vector<std::string>& keys_;
  std::vector<std::optional<std::string>> found_;
  std::string key_;
  int depth_ = 0;
};

}  // namespace

JsonDocument parse_json(std::string_view text, const std::filesystem::path& file) {
  const std::string name = printable_path(file);
  // Json::parse takes the last of equal keys in silence.
  std::vector<std::set<std::string>> open;  // keys of the objects around the place
  const auto visit = [&](int, Json::parse_event_t event, const Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end) open.pop_back();
    if (event == Json::parse_event_t::key && !open.back().insert(parsed).second) {
      throw InputError(
          fmt::format("{}: key {} appears twice", name, printable(parsed.get<std::string>())));
    }
    return true;
  };
  try {
    return {Json::parse(text, visit), name};
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format("{}: byte {}: is not JSON", name, error.byte));
  } catch (const Json::out_of_range&) {
    throw InputError(name + ": contains a number that is too large");
  }
}

JsonDocument read_json(const std::filesystem::path& file) {
  return parse_json(read_input(file, kMostDataBytes), file);
}

std::vector<std::string> first_texts(const std::filesystem::path& file,
                                     const std::vector<std::string>& keys) {
  FirstTexts handler(keys);
  const std::string text = read_input(file, kMostDataBytes);
  Json::sax_parse(text, &handler);
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
