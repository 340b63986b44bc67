// What standard output is, and how wide.
#pragma once

#include <cstddef>

namespace apps {

// Characters of a line: the terminal's; elsewhere COLUMNS where it is a whole number from 20 to 1000,
// else 100.
[[nodiscard]] std::size_t output_width();

}  // namespace apps
