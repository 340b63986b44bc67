// SPDX-License-Identifier: Apache-2.0
// The inputs of a point: a value for each given flag of run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "apps/commands.hpp"

namespace apps {

// By name, in the order of the file: texts, numbers, true and false.
using Inputs = nlohmann::ordered_json;

// The name of an input in SQL: gpus_per_node for "gpus-per-node", network_nic_bandwidth for
// "network.nic_bandwidth".
[[nodiscard]] std::string column_of(std::string_view key);
// A value as people write it: a text without quotes.
[[nodiscard]] std::string text_of(const Inputs& value);
// The command line of a point, starting with "run".
[[nodiscard]] Arguments arguments_of(const Inputs& inputs);

}  // namespace apps
