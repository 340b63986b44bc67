// Text whose parts are marked by what they mean. The marks hold no escape sequence: whoever prints the
// text decides how they look, after each part was made fit to be shown.
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
