// SPDX-License-Identifier: Apache-2.0
// Numbers, lists and flags in sentences.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace apps {

// "206 763": a whole number, its digits in groups of three from 10 000 on.
[[nodiscard]] std::string grouped(double value);
// "200 000 to 214 000", to three digits.
[[nodiscard]] std::string rounded_range(double low, double high);
// "2 h 5 min", "3 min 20 s", "12 s".
[[nodiscard]] std::string duration_text(double seconds);
// "a, b and c"; of more than five, "a, b, c, d and 4 more".
[[nodiscard]] std::string listed(std::vector<std::string> names);
// In lines of at most `width` characters where words allow it; the groups of a number stay together.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width);
// A text of the simulator, which names the fields of a job in backticks, with the flags that set
// them: "`pp`: 3 leaves ..." is "--pp: 3 leaves ...".
[[nodiscard]] std::string with_flags(const std::string& text);

}  // namespace apps
