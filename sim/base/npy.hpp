// SPDX-License-Identifier: Apache-2.0
// Tensors in NumPy's .npy files, version 1.0 (numpy.lib.format): what numpy.save writes. Reading is
// strict, so that no file, however hostile, does worse than throw an InputError.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace sim {

struct Npy {
  std::vector<std::size_t> shape;  // slowest dimension first
  std::vector<float> values;       // in row-major order
};

// Reads a regular file of at most 64 MiB, of 1 to 8 dimensions in C order, little-endian:
//   '<f4'  float32
// the bits of bfloat16, which NumPy does not support
// Throws InputError "FILE: byte N: what; remedy".
[[nodiscard]] Npy read_npy(const std::filesystem::path& file);

// Parses bytes in memory.
[[nodiscard]] Npy parse_npy(std::string_view bytes, const std::filesystem::path& file);

}  // namespace sim
