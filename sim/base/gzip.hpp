// SPDX-License-Identifier: Apache-2.0
// Inputs that may be compressed by gzip.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace sim {

// The bytes of a regular file, unpacked if they begin as gzip's do, whatever the file is called. Of
// several gzip members, all. At most `most` bytes, packed and unpacked. Throws an InputError that
// names the file if it cannot be read, is too large, or is damaged or cut off.
[[nodiscard]] std::string read_unpacked(const std::filesystem::path& file, std::size_t most);

// The same of bytes in memory; `name` stands for the file in messages.
[[nodiscard]] std::string unpacked(std::string bytes, const std::string& name, std::size_t most);

}  // namespace sim
