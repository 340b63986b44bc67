// SPDX-License-Identifier: Apache-2.0
// A value as the flag of `run` that sets it, to six digits: "--set nvlink.latency=2us".
#pragma once

#include <string>
#include <string_view>

#include "sim/base/units.hpp"

namespace apps {

[[nodiscard]] std::string set_flag(std::string_view key, sim::Bandwidth value);
[[nodiscard]] std::string set_flag(std::string_view key, sim::Seconds value);
[[nodiscard]] std::string set_flag(std::string_view key, sim::FlopRate value);
[[nodiscard]] std::string set_flag(std::string_view key, double value);

}  // namespace apps
