// SPDX-License-Identifier: Apache-2.0
// Keys of a config.json that families need not name.
#pragma once

#include <span>
#include <string_view>

#include "sim/workload/config_reader.hpp"

namespace sim {

// No arithmetic of training depends on these, in any family: names, tokens, files, how text is
// generated, how weights are stored for inference, and numbers within an operator.
[[nodiscard]] std::span<const std::string_view> harmless_keys();

// What stands around the text of a model with pictures or sound: names of its other parts and of their
// tokens.
[[nodiscard]] std::span<const std::string_view> keys_beside_text();

// Records the keys that change the arithmetic of any family and were not read.
void refuse_unread(ConfigReader& config);

}  // namespace sim
