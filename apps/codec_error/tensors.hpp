// Recorded tensors, such as gradients of a real training run, on which the codecs' errors are
// measured. Each is two files of a folder:
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

// All of the folder, by name; none where there is no such folder. Throws InputError where a tensor
// has no source, holds what is not finite or nothing but zeros, or cannot be read.
[[nodiscard]] std::vector<codecs::Tensor> read_tensors(const std::filesystem::path& folder);

// One from bytes in memory; `file` is the NAME.npy that messages speak of.
[[nodiscard]] codecs::Tensor parse_tensor(std::string_view values, std::string_view sidecar,
                                          const std::filesystem::path& file);

// What read_tensors() reads of a folder; of one that cannot be read nothing.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder);

}  // namespace apps
