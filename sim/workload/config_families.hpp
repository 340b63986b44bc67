// What each family of models calls its shape in a config.json, and what it leaves unsaid.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "sim/workload/config_reader.hpp"
#include "sim/workload/model.hpp"

namespace sim {

struct ModelFamily {
  std::string_view architecture;  // as "architectures" names it
  std::string_view title;         // as people do
  // Fills the shape, and `sequence` with what the run says (`given`) or the longest that the model
  // takes. Notes in `config` what is missing, wrong or not modelled.
  void (*read)(ConfigReader& config, std::optional<int> given, Model& model);
};
[[nodiscard]] std::span<const ModelFamily> all_families();

}  // namespace sim
