// A model as Hugging Face describes it: the config.json beside the weights of a causal language
// model of the families Llama, Mistral, Qwen2, Qwen3, GPT-2 and MPT.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "sim/base/setting.hpp"
#include "sim/workload/model.hpp"

namespace sim {

// Named after the folder of a file that is called config.json, else after the file.
// `settings` are not applied: of them, model.sequence alone is heeded, for what depends on it.
// Without it the sequence is the longest that the model takes, if that is at most 8192.
// Throws InputError, a line for each problem, for what is missing or wrong, for what changes the
// arithmetic and is not modelled, and for every key that is not known to change none.
[[nodiscard]] Model parse_config(std::string_view text, const std::filesystem::path& file,
                                 std::span<const Setting> settings);

}  // namespace sim
