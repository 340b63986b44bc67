// SPDX-License-Identifier: Apache-2.0
// A model in Hugging Face's format: the config.json beside the weights of a model of one of the
// families in sim/workload/families.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

#include "sim/base/setting.hpp"
#include "sim/workload/model.hpp"

namespace sim {

// `architectures` names the family, or else `model_type`; of a model with pictures or sound, the text alone
// is read. NaN and Infinity are read, as Python does, and are wrong only where the number counts. The
// model is named after the folder of a file called config.json, else after the file. Its summary says
// what was read over. `settings` are not applied; only model.sequence is read, for values that depend on
// it. Without it the sequence is a usual one (set_sequence(), sim/workload/families/parts.hpp).
// Throws an InputError, one line per problem, for anything missing or wrong, for arithmetic that is
// not modelled, and for every key not known to be harmless.
[[nodiscard]] Model parse_config(std::string_view text, const std::filesystem::path& file,
                                 std::span<const Setting> settings);

}  // namespace sim
