// SPDX-License-Identifier: Apache-2.0
// A model in Hugging Face's format: the config.json beside the weights of a causal language model
// of the families Llama, Mistral, Qwen2, Qwen3, GPT-2 and MPT.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "sim/base/setting.hpp"
#include "sim/workload/model.hpp"

namespace sim {

// `architectures` names the family, or else `model_type`. NaN and Infinity are read, as Python does, and
// are wrong only where the number counts. The model is named after the folder of a file called config.json, else after the file.
// `settings` are not applied; only model.sequence is read, for values that depend on it. Without it
// the sequence is the longest that the model supports, if that is at most 8192.
// Throws an InputError, one line per problem, for anything missing or wrong, for arithmetic that is
// not modelled, and for every key not known to be harmless.
[[nodiscard]] Model parse_config(std::string_view text, const std::filesystem::path& file,
                                 std::span<const Setting> settings);

}  // namespace sim
