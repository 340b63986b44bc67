// SPDX-License-Identifier: Apache-2.0
// A value as the field that sets it, to six digits: "`set` nvlink.latency=2us".
#pragma once

#include <string>
#include <string_view>

#include "sim/base/units.hpp"

namespace sim::study {

[[nodiscard]] std::string set_field(std::string_view key, Bandwidth value);
[[nodiscard]] std::string set_field(std::string_view key, Seconds value);
[[nodiscard]] std::string set_field(std::string_view key, FlopRate value);
[[nodiscard]] std::string set_field(std::string_view key, double value);

}  // namespace sim::study
