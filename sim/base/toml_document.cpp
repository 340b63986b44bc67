// SPDX-License-Identifier: Apache-2.0
#include "sim/base/toml_document.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/base/toml_guard.hpp"

namespace sim {
namespace {

// With 64 bytes a part, a leaf's dotted key stays short, however many leaves a hostile header has.
constexpr int kMaxTableDepth = 8;
constexpr std::size_t kMaxKeyBytes = 64;
// The parser quotes what it read, however long.
constexpr std::size_t kMaxMessageBytes = 300;

bool is_bare_key(std::string_view key) {
  return !key.empty() && key.size() <= kMaxKeyBytes && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
}

// Bare keys with dots between them: a setting beside a key that its table is named like, such as
// "scheme.inner_steps" beside scheme.
bool is_dotted_key(std::string_view key) {
  int parts = 0;
  for (std::size_t begin = 0; begin <= key.size(); ++parts) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    if (!is_bare_key(key.substr(begin, end - begin)) || parts > kMaxTableDepth) return false;
    begin = end + 1;
  }
  return true;
}

TomlScalar scalar_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return integer->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (node.is_array()) return TomlOther{"a nested array"};
  if (node.is_table()) return TomlOther{"a table in an array"};
  return TomlOther{"a time"};
}

TomlValue value_of(const toml::node& node) {
  const toml::array* array = node.as_array();
  if (array == nullptr) return scalar_of(node);
  TomlArray values;
  for (const toml::node& element : *array) values.push_back(scalar_of(element));
  return values;
}

TomlPlace place_of(const toml::source_region& source) {
  return {source.begin.line, source.begin.column, false};
}

[[noreturn]] void fail_at(const std::string& file, const TomlPlace& place, std::string_view what) {
  throw InputError(fmt::format("{}:{}:{}: {}", file, place.line, place.column, what));
}

// Adds the leaves and tables of `table`, whose dotted key is `prefix`.
void flatten(const toml::table& table, const std::string& prefix, int depth, TomlDocument& into) {
  for (const auto& [key, node] : table) {
    const TomlPlace place = place_of(key.source());
    if (!is_bare_key(key.str()) && (node.is_table() || !is_dotted_key(key.str()))) {
      fail_at(into.file, place,
              fmt::format("'{}' is not a valid key; a key has up to {} letters, digits, _ and -",
                          printable(key.str()), kMaxKeyBytes));
    }
    const std::string dotted =
        prefix.empty() ? std::string(key.str()) : fmt::format("{}.{}", prefix, key.str());
    if (const toml::table* inner = node.as_table()) {
      if (depth == kMaxTableDepth) {
        fail_at(into.file, place,
                fmt::format("{}: tables nested deeper than {}; flatten them", printable(dotted),
                            kMaxTableDepth));
      }
      into.tables.emplace(dotted, place);
      flatten(*inner, dotted, depth + 1, into);
    } else if (!into.leaves.emplace(dotted, TomlLeaf{place, value_of(node)}).second) {
      fail_at(into.file, place, fmt::format("{}: appears twice; keep one", printable(dotted)));
    }
  }
}

toml::table parse_guarded(std::string_view text, const std::string& file) {
  if (const auto found = find_unsafe_toml(text)) fail_at(file, found->place, found->what);
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    const bool beside = error.description().find("dotted key-value pair") != std::string_view::npos;
    fail_at(
        file, place_of(error.source()),
        fmt::format(
            "not TOML: {}{}", printable_line(error.description(), kMaxMessageBytes),
            beside
                ? "; where a key has that name already, quote this one, e.g. \"scheme.keep\" = ..."
                : ""));
  }
}

// Text that is one TOML value is that value; any other text is a string.
TomlValue setting_value(const Setting& setting) {
  const std::string text = "value = " + setting.value;
  if (find_unsafe_toml(text)) return TomlScalar(setting.value);
  try {
    const toml::table table = toml::parse(text);
    const toml::node* node = table.get("value");
    if (table.size() == 1 && node != nullptr && !node->is_table()) return value_of(*node);
  } catch (const toml::parse_error&) {
    // Not TOML: `200 Gbps`, `rail_optimized`.
  }
  return TomlScalar(setting.value);
}

[[noreturn]] void fail_setting(const Setting& setting, std::string_view what) {
  throw InputError(fmt::format("{}: {}", setting.name(), what));
}

// Throws unless `key` is a dotted key of bare parts that does not pass through a leaf.
void check_setting_key(const Setting& setting, const TomlDocument& document) {
  const std::string_view key = setting.key;
  if (!is_dotted_key(key)) {
    fail_setting(setting, "is not a key; write it as in the file, e.g. network.nic_bandwidth");
  }
  for (std::size_t dot = key.find('.'); dot != key.npos; dot = key.find('.', dot + 1)) {
    const std::string_view path = key.substr(0, dot);
    if (document.leaves.contains(path)) {
      fail_setting(setting, fmt::format("{} is a value, not a table", printable(path)));
    }
  }
  if (document.tables.contains(key)) {
    fail_setting(setting, fmt::format("is a table; set one of its keys, e.g. {}.KEY", key));
  }
}

void apply_setting(const Setting& setting, TomlDocument& document) {
  check_setting_key(setting, document);
  if (setting.value.size() > kMostInputBytes) fail_setting(setting, "value is longer than 1 MiB");
  const TomlPlace place{0, 0, true};
  for (std::size_t dot = setting.key.find('.'); dot != std::string::npos;
       dot = setting.key.find('.', dot + 1)) {
    document.tables.emplace(setting.key.substr(0, dot), place);
  }
  document.leaves.insert_or_assign(setting.key, TomlLeaf{place, setting_value(setting)});
  document.settings.insert_or_assign(setting.key, setting.name());
}

}  // namespace

TomlDocument parse_toml(std::string_view text, const std::filesystem::path& file,
                        std::span<const Setting> settings) {
  TomlDocument document;
  document.file = printable_path(file);
  if (text.size() > kMostInputBytes) {
    throw InputError(document.file + ": is larger than 1 MiB; is it the right file?");
  }
  if (text.empty()) throw InputError(document.file + ":1:1: is empty; copy a shipped file");
  flatten(parse_guarded(text, document.file), "", 0, document);
  apply_settings(settings, document);
  return document;
}

void apply_settings(std::span<const Setting> settings, TomlDocument& document) {
  for (const Setting& setting : settings) apply_setting(setting, document);
}

std::string toml_text(std::string_view text) {
  const toml::value<std::string> value{std::string(text)};
  std::ostringstream stream;
  stream << toml::toml_formatter{value, toml::format_flags::allow_unicode_strings};
  return std::move(stream).str();
}

std::string read_input_text(const std::filesystem::path& file) {
  return read_input(file, kMostInputBytes);
}

}  // namespace sim
