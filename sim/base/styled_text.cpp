// SPDX-License-Identifier: Apache-2.0
#include "sim/base/styled_text.hpp"

namespace sim {

void append(StyledText& text, std::string_view more, Style style) {
  if (more.empty()) return;
  if (text.empty() || text.back().style != style) text.push_back({"", style});
  text.back().text += more;
}

void append(StyledText& text, const StyledText& more) {
  for (const StyledPart& part : more) append(text, part.text, part.style);
}

std::string plain_text(const StyledText& text) {
  std::string plain;
  for (const StyledPart& part : text) plain += part.text;
  return plain;
}

}  // namespace sim
