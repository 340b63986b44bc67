// Writing files whole or not at all, and reading what this program wrote or ships.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace sim {

// Larger files are refused: of those that people write, and that programs write.
inline constexpr std::size_t kMostInputBytes = std::size_t{1} << 20;
inline constexpr std::size_t kMostDataBytes = std::size_t{64} << 20;

// The file gets its name when it is whole: until then, and after any failure, the old one stays.
// Follows links; writes a device or pipe as it is. Throws InputError where the place cannot be
// written.
void write_file(const std::filesystem::path& file, std::string_view text);

// For work that takes long before it writes: throws what write_file() would, where the place is
// missing or may not be written. Writes nothing, so the disk may still turn out to be full.
void require_writable(const std::filesystem::path& file);

// All bytes of a file, however large; what users wrote, read_input_text() reads. Throws InputError
// where it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& file);

}  // namespace sim
