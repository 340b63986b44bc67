// SPDX-License-Identifier: Apache-2.0
#include "apps/launch/file_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <string_view>
#include <vector>

#include "apps/arguments.hpp"
#include "sim/base/printable.hpp"
#include "sim/launch/launch.hpp"

namespace apps {
namespace {

using sim::launch::Entry;
using sim::launch::Launch;

// As the file writes it: a flag of a script has its dashes.
std::string name_in(const Launch& launch, std::string_view key) {
  const bool has_dashes = launch.document.syntax == sim::launch::Syntax::shell;
  return fmt::format("{}{}", has_dashes ? "--" : "", key);
}

// The same with its value, which a switch of a script has none of.
std::string written(const Launch& launch, const sim::launch::KeyValue& key) {
  using sim::launch::Syntax;
  if (launch.document.syntax == Syntax::yaml) return fmt::format("{}: {}", key.key, key.value);
  if (launch.document.syntax != Syntax::shell) return fmt::format("{} = {}", key.key, key.value);
  const std::string name = name_in(launch, key.key);
  return key.value == "true" ? name : fmt::format("{} {}", name, key.value);
}

// A script's switch is off where it is not there.
bool is_absent_switch(const Launch& launch, const sim::launch::KeyValue& key) {
  return launch.document.syntax == sim::launch::Syntax::shell && key.value == "false";
}

// In the launch file, or in one that it names.
std::string line_of(const Launch& launch, const sim::launch::Place& place) {
  if (place.file == launch.document.file) return fmt::format("line {}", place.line);
  return place.text();
}

// What the file says of a field; null where it says nothing.
const sim::launch::Fact* said_of(const Launch& launch, std::string_view field) {
  const auto found = std::ranges::find(launch.fields, field, &sim::launch::Field::name);
  if (found == launch.fields.end() || found->fact.place.file.empty()) return nullptr;
  return &found->fact;
}

// Most frameworks overlap by several keys, of which some have none; and where the file says how many
// sequences a step has, their accumulation follows.
bool follows_from_others(const Launch& launch, std::string_view field) {
  return field == "overlap" ||
         (field == "accumulation" && said_of(launch, "global-batch") != nullptr);
}

bool is_nothing(std::string_view value) {
  return value == "none" || value == "off" || value == "0";
}

// One value of a field.
std::string change_of(const Launch& launch, const std::string& field, const std::string& value) {
  const auto key = sim::launch::key_for(*launch.framework, field, value, launch.document);
  if (!key) {
    if (follows_from_others(launch, field)) return "";
    const sim::launch::Fact* said = said_of(launch, field);
    if (said != nullptr && is_nothing(value)) {
      return fmt::format("  {}: remove {}  (--{} {})\n", line_of(launch, said->place),
                         name_in(launch, said->key), field, value);
    }
    return fmt::format("  --{} {}: {} has no one key for it\n", field, value,
                       launch.framework->name);
  }
  const Entry* now = sim::launch::find_alike(launch.document, key->key);
  if (is_absent_switch(launch, *key)) {
    if (now == nullptr || now->value == "false") return "";
    return fmt::format("  {}: remove {}  (--{} {})\n", line_of(launch, now->place),
                       name_in(launch, key->key), field, value);
  }
  if (now == nullptr) {
    return fmt::format("  add {}  (--{} {})\n", written(launch, *key), field, value);
  }
  if (now->value == key->value) return "";
  return fmt::format("  {}: {} in place of {}  (--{} {})\n", line_of(launch, now->place),
                     written(launch, *key), sim::printable_line(now->value, 40), field, value);
}

}  // namespace

std::string changes_in(const std::filesystem::path& file, const std::string& flags) {
  const Arguments words = boost::program_options::split_unix(flags);
  if (words.empty()) return "";
  const Launch launch =
      sim::launch::read_launch(file, {"nodes", "gpus-per-node", "tp", "pp", "cp"});
  std::string lines;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (!words[i].starts_with("--") || words[i + 1].starts_with("--")) continue;
    const std::string field = words[i].substr(2);
    std::vector<std::string> values{words[i + 1]};
    if (field == "overlap") values = split(words[i + 1]);
    if (words[i + 1] == "all") values = {"gradients", "weights", "tensor", "pipeline"};
    for (const std::string& value : values) lines += change_of(launch, field, value);
  }
  if (lines.empty()) return "";
  return fmt::format("To run it so, change {}:\n{}", launch.document.file, lines);
}

}  // namespace apps
