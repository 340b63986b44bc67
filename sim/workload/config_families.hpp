// SPDX-License-Identifier: Apache-2.0
// How each family of models describes its shape in a config.json, and what the family leaves
// unsaid.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/workload/config_reader.hpp"
#include "sim/workload/model.hpp"

namespace sim {

struct ModelFamily {
  std::string_view architecture;  // as "architectures" names it
  std::string_view model_type;    // as "model_type" does
  std::string_view title;         // the usual name
  // Fills the shape, and `sequence` from the run (`given`) or else with the longest that the model
  // supports. Records in `config` anything missing, wrong or not modelled.
  void (*read)(ConfigReader& config, std::optional<int> given, Model& model);
};
[[nodiscard]] std::span<const ModelFamily> all_families();

}  // namespace sim
