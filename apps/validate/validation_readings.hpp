// SPDX-License-Identifier: Apache-2.0
// How `validate sdp4bit` prints the two readings of the paper's table 5.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "apps/validate/validation_output.hpp"

namespace apps {

// The rows that differ, and the errors of both.
[[nodiscard]] sim::StyledText readings_text(const Validation& validation, std::size_t width);
[[nodiscard]] nlohmann::ordered_json readings_object(const Validation& validation);

}  // namespace apps
