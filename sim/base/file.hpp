// Writing files whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>

namespace sim {

// The file gets its name when it is whole: until then, and after any failure, the old one stays.
// Follows links; writes a device or pipe as it is. Throws InputError where the place cannot be
// written.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace sim
