// SPDX-License-Identifier: Apache-2.0
// The CSV of times beside a codec card.
#pragma once

#include <filesystem>
#include <string_view>

#include "sim/times/codec_card.hpp"

namespace sim {

// Of a file next to another one.
[[nodiscard]] bool is_file_name(std::string_view name);
// Throws an InputError with a located line for each problem.
void add_times(std::string_view text, const std::filesystem::path& file, CodecCard& card);

}  // namespace sim
