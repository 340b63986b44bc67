// SPDX-License-Identifier: Apache-2.0
// Text with parts marked by meaning. The marks contain no escape sequences: the printing code
// decides how each part looks, after making it safe to display.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sim {

enum class Style { plain, heading, good, bad, note };

struct StyledPart {
  std::string text;
  Style style = Style::plain;
};
using StyledText = std::vector<StyledPart>;

void append(StyledText& text, std::string_view more, Style style = Style::plain);
void append(StyledText& text, const StyledText& more);

// The text without its marks.
[[nodiscard]] std::string plain_text(const StyledText& text);

}  // namespace sim
