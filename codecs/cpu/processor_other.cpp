// SPDX-License-Identifier: Apache-2.0
// Processors on which only the target of the compiler's flags is used.
#include "codecs/cpu/processor.hpp"

namespace codecs::cpu {

bool has_instructions(std::string_view /*target*/) { return false; }

}  // namespace codecs::cpu
