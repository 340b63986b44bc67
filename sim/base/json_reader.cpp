// SPDX-License-Identifier: Apache-2.0
#include "sim/base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
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

JsonReader::JsonReader(const Json& value, std::string file, std::string path)
    : value_(value), file_(std::move(file)), path_(std::move(path)) {}

void JsonReader::fail(const std::string& what) const {
  throw InputError(fmt::format("{}: {}: {}", file_, path_.empty() ? "/" : path_, what));
}

JsonReader JsonReader::at(const std::string& key) const {
  if (!has(key)) fail("missing key " + key);
  return {value_.at(key), file_, path_ + "/" + printable(key)};
}

bool JsonReader::has(const std::string& key) const {
  return value_.is_object() && value_.contains(key);
}

void JsonReader::only(std::initializer_list<std::string_view> known) const {
  each_key([&](const std::string& key, const JsonReader&) {
    if (std::ranges::find(known, key) == known.end()) {
      fail(fmt::format("unknown key {}; known: {}", printable(key), joined(known)));
    }
  });
}

std::string JsonReader::text() const {
  if (!value_.is_string()) fail("is not a string");
  auto text = value_.get<std::string>();
  if (std::ranges::any_of(text, [](unsigned char c) { return std::iscntrl(c) != 0; })) {
    fail("holds a line break or another control character");
  }
  return text;
}

double JsonReader::not_negative() const {
  if (!value_.is_number() || !(value_.get<double>() >= 0)) fail("is not a number of at least 0");
  return value_.get<double>();
}

double JsonReader::positive() const {
  if (!value_.is_number() || !(value_.get<double>() > 0)) fail("is not a number above 0");
  return value_.get<double>();
}

double JsonReader::whole(double highest) const {
  const double number = positive();
  if (number > highest || number != std::floor(number)) {
    fail(fmt::format("is not a whole number from 1 to {}", highest));
  }
  return number;
}

void JsonReader::each(const std::function<void(const JsonReader&)>& visit) const {
  if (!value_.is_array()) fail("is not a list");
  for (std::size_t i = 0; i < value_.size(); ++i) {
    visit(JsonReader(value_[i], file_, fmt::format("{}/{}", path_, i)));
  }
}

void JsonReader::each_key(
    const std::function<void(const std::string&, const JsonReader&)>& visit) const {
  if (!value_.is_object()) fail("is not an object");
  for (const auto& [key, value] : value_.items()) visit(key, at(key));
}

}  // namespace sim
