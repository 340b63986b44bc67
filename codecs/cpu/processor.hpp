// SPDX-License-Identifier: Apache-2.0
// What the processor can do. The build compiles the file for its architecture, so that the program
// needs no library of Highway's.
#pragma once

#include <string_view>

namespace codecs::cpu {

// Whether it has all instructions of one of Highway's targets: "AVX3", "AVX2", "SSE4".
[[nodiscard]] bool has_instructions(std::string_view target);

}  // namespace codecs::cpu
