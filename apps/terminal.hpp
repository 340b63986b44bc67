// SPDX-License-Identifier: Apache-2.0
// Kind and width of standard output.
#pragma once

#include <cstddef>

namespace apps {

// Characters per line: the terminal's; otherwise COLUMNS if it is a whole number from 20 to 1000,
// else 100.
[[nodiscard]] std::size_t output_width();

[[nodiscard]] bool output_is_terminal();

// Whether it is a terminal that shows colours, and NO_COLOR does not forbid them (no-color.org).
[[nodiscard]] bool output_has_colour();

}  // namespace apps
