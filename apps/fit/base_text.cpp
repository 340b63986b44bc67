// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/base_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "apps/job/settings.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/fit/edited_text.hpp"
#include "sim/topology/cluster.hpp"

namespace apps {
namespace {

std::vector<sim::Setting> settings_of(const FitOptions& options) {
  std::vector<sim::Setting> settings = sort_settings(options.job).topology;
  const auto add = [&](const std::string& value, const char* field) {
    if (value.empty()) return;
    settings.push_back({fmt::format("collectives.{}", field), sim::toml_text(value), field});
  };
  add(options.job.algorithm, "algorithm");
  add(options.job.protocol, "protocol");
  return settings;
}

// A value of `--set` that is no TOML is a string.
std::string as_toml(const std::string& value) {
  try {
    static_cast<void>(sim::parse_toml("value = " + value, "setting"));
    return value;
  } catch (const sim::InputError&) {
    return sim::toml_text(value);
  }
}

}  // namespace

std::string base_text(const FitOptions& options, const std::filesystem::path& file) {
  std::string text = sim::read_input_text(file);
  const std::vector<sim::Setting> settings = settings_of(options);
  if (settings.empty()) return text;
  static_cast<void>(sim::parse_cluster(text, file, settings));  // the messages are the settings'
  std::vector<sim::fit::KeyEdit> edits;
  for (const sim::Setting& one : settings) {
    edits.push_back({one.key, as_toml(one.value), "As set on the command line."});
  }
  text = sim::fit::edited_text(text, file, edits);
  const auto leaves = sim::parse_toml(text, file).leaves;
  for (const sim::Setting& one : settings) {
    if (leaves.contains(one.key)) continue;
    sim::refuse(one, fmt::format("{} has no header [{}] to write it under; add one",
                                 sim::printable_path(file), one.key.substr(0, one.key.find('.'))));
  }
  return text;
}

}  // namespace apps
