// SPDX-License-Identifier: Apache-2.0
// The model of a launch file: a shipped one, one by a config.json, or a shipped one with other sizes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/launch/launch.hpp"

namespace apps {

struct LaunchModel {
  std::string name;                          // as --model takes it
  sim::launch::Fact fact;                    // that names it
  std::vector<sim::launch::Field> settings;  // what differs, as keys of a model's file
  std::string assumed;                       // a sentence on what the file does not say; or empty
};

// Nothing where the file neither names a model nor gives its sizes, or names one that does not ship
// and whose config.json is not beside it.
[[nodiscard]] std::optional<LaunchModel> model_of(const sim::launch::Launch& launch,
                                                  const std::filesystem::path& file);

// The shipped model of a name such as "Meta-Llama-3.1-8B-Instruct" or "llama3-70B"; or empty.
[[nodiscard]] std::string shipped_model_named(const std::string& name);

}  // namespace apps
