// How `validate sdp4bit` prints the two readings of the paper's table 5.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/validate/validation_output.hpp"

namespace apps {

// The rows that differ, and the errors of both readings.
[[nodiscard]] std::string readings_text(const Validation& validation);
[[nodiscard]] nlohmann::ordered_json readings_object(const Validation& validation);

}  // namespace apps
