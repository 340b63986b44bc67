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

// As the file writes a key: a flag of a script has its dashes, and a switch no value.
std::string written(const Launch& launch, const sim::launch::KeyValue& key) {
  using sim::launch::Syntax;
  if (launch.document.syntax != Syntax::shell) return fmt::format("{} = {}", key.key, key.value);
  return key.value == "true" ? fmt::format("--{}", key.key)
                             : fmt::format("--{} {}", key.key, key.value);
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
      return fmt::format("  line {}: remove {}  (--{} {})\n", said->place.line, said->key, field,
                         value);
    }
    return fmt::format("  --{} {}: {} has no one key for it\n", field, value,
                       launch.framework->name);
  }
  const Entry* now = sim::launch::find_alike(launch.document, key->key);
  if (now == nullptr) {
    return fmt::format("  add {}  (--{} {})\n", written(launch, *key), field, value);
  }
  if (now->value == key->value) return "";
  return fmt::format("  line {}: {} in place of {}  (--{} {})\n", now->place.line,
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
