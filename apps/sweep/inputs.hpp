// The inputs of a point: a value for each flag of run that is given.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "apps/commands.hpp"

namespace apps {

// By name, in the order of the file: texts, numbers, true and false.
using Inputs = nlohmann::ordered_json;

// An input as SQL calls it: "gpus-per-node" is gpus_per_node, "network.nic_bandwidth"
// network_nic_bandwidth.
[[nodiscard]] std::string column_of(std::string_view key);
// A value as people write it: a text without its quotes.
[[nodiscard]] std::string text_of(const Inputs& value);
// The command line of a point, from "run" on.
[[nodiscard]] Arguments arguments_of(const Inputs& inputs);

}  // namespace apps
