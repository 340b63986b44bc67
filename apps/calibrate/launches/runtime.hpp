// SPDX-License-Identifier: Apache-2.0
// A CUDA runtime that runs no kernel and writes down what it is asked to run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace launches {

// A kernel's launch; or within device memory a copy or a fill, whose `kernel` is "copy" or "fill" and
// whose bytes are those that it writes.
struct Launch {
  std::string kernel;  // as compiled, without what compilers add to names in anonymous namespaces
  unsigned blocks = 0, threads = 0;
  std::vector<std::string> parameters = {};  // their bytes, in hexadecimal
  std::size_t bytes = 0;
  std::uintptr_t to = 0, from = 0;  // of a copy; `to` of a fill
  int value = 0;                    // of a fill
};

// Sizes of the parameters of each kernel, by its name as compiled.
using ParameterSizes = std::map<std::string, std::vector<std::size_t>>;
void expect_parameters(const ParameterSizes& sizes);

// What has been asked for since the last call.
[[nodiscard]] std::vector<Launch> taken();

// Whether device memory that is allocated from now on holds what the host copies there; else it is only
// reserved.
void keep_memory(bool keeps);
// Device memory that was allocated while it was kept, whether or not it was freed since.
[[nodiscard]] std::vector<std::span<const std::byte>> kept_memory();

[[nodiscard]] std::string hexadecimal(std::span<const std::byte> bytes);

// "_ZN6codecs4cuda...": names of anonymous namespaces hold hashes of files and flags.
[[nodiscard]] std::string without_hashes(const std::string& mangled);

}  // namespace launches
