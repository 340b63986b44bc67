// SPDX-License-Identifier: Apache-2.0
// A TOML document, flattened: every leaf by its dotted key, with its location. Reading guards the
// parser first, so that no file, however hostile, does worse than throw an InputError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/base/setting.hpp"

namespace sim {

// Location of a key: in the file, or in a Setting that replaced it.
struct TomlPlace {
  std::uint32_t line = 1;  // 0 where the file has no such line
  std::uint32_t column = 1;
  bool from_setting = false;
};

// A kind of value that no reader accepts, named for messages: "a time", "a nested array", "a table
// in an array".
struct TomlOther {
  std::string_view noun;
};
using TomlScalar = std::variant<std::string, std::int64_t, double, bool, TomlOther>;
using TomlArray = std::vector<TomlScalar>;
using TomlValue = std::variant<TomlScalar, TomlArray>;

struct TomlLeaf {
  TomlPlace place;  // of the key
  TomlValue value;
};

struct TomlDocument {
  std::string file;                                      // as the user named it
  std::map<std::string, TomlLeaf, std::less<>> leaves;   // "network.nic_bandwidth"
  std::map<std::string, TomlPlace, std::less<>> tables;  // "network"; the root is not among them
  std::map<std::string, std::string, std::less<>> settings = {};  // Setting::name() by key
};

// Parses `text`, then replaces or adds the leaf of each of `settings`; the last of equal keys wins.
// `file` only names the text in messages. Throws an InputError located at the offending character
// if the text is not TOML (duplicate keys included), not text, longer than 1 MiB or nested deeper
// than 64 (tables: 8), and at "`set` KEY" for a setting that cannot be applied.
[[nodiscard]] TomlDocument parse_toml(std::string_view text, const std::filesystem::path& file,
                                      std::span<const Setting> settings = {});

// Replaces or adds the leaf of each of `settings` in a parsed document, as parse_toml does.
void apply_settings(std::span<const Setting> settings, TomlDocument& document);

// `text` as TOML writes it: in quotes, on one line.
[[nodiscard]] std::string toml_text(std::string_view text);

// The text of a regular file of at most 1 MiB. Throws an InputError that names the file.
[[nodiscard]] std::string read_input_text(const std::filesystem::path& file);

}  // namespace sim
