// SPDX-License-Identifier: Apache-2.0
// A point: its inputs, which are named values, and how it ended.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sim::sweep {

// By name, in the order of the spec: texts, numbers, true and false. A report is of the same type,
// whatever is in it.
using Inputs = nlohmann::ordered_json;

// The name of an input in SQL: gpus_per_node for "gpus-per-node", network_nic_bandwidth for
// "network.nic_bandwidth".
[[nodiscard]] std::string column_of(std::string_view key);
// A value as people write it: a text without quotes.
[[nodiscard]] std::string text_of(const Inputs& value);
// Null for an empty text.
[[nodiscard]] Inputs or_null(const std::string& text);
// JSON on one line. What is no UTF-8 in it, as the name of a file may have it, becomes U+FFFD.
[[nodiscard]] std::string line_of(const Inputs& json);

struct Outcome {
  std::string state;    // see store.hpp; open where a signal from outside ended its process
  std::string message;  // what it said on its standard outputs, and why it failed
  Inputs report;        // null if there is none
  double wall_s = 0;
};

}  // namespace sim::sweep
