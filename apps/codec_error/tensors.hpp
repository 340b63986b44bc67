// SPDX-License-Identifier: Apache-2.0
// Recorded tensors, such as gradients of a real training run, on which the codecs' errors are
// measured. Each consists of two files in a folder:
//
//   NAME.npy   the values, as sim/base/npy.hpp reads them
//   NAME.json  {"source": "GPT-2 125M, gradient of layer 7's MLP at step 2000", ...}: one line on
//              where it comes from; kind, model, step, date, commit and command may follow
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "codecs/error/training.hpp"

namespace apps {

// All tensors of the folder, by name; none if there is no such folder. Throws InputError if a
// tensor has no source, has a value that is not finite or only zeros, or cannot be read.
[[nodiscard]] std::vector<codecs::Tensor> read_tensors(const std::filesystem::path& folder);

// Parses one from bytes in memory; `file` is the name of its NAME.npy in messages.
[[nodiscard]] codecs::Tensor parse_tensor(std::string_view values, std::string_view sidecar,
                                          const std::filesystem::path& file);

}  // namespace apps
