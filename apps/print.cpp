// SPDX-License-Identifier: Apache-2.0
#include "apps/print.hpp"

#include <fmt/color.h>

#include "apps/terminal.hpp"
#include "apps/words.hpp"

namespace apps {
namespace {

fmt::text_style look_of(sim::Style style) {
  switch (style) {
    case sim::Style::heading:
      return fmt::emphasis::bold;
    case sim::Style::good:
      return fmt::fg(fmt::terminal_color::green);
    case sim::Style::bad:
      return fmt::fg(fmt::terminal_color::red);
    case sim::Style::note:
      return fmt::emphasis::faint;
    case sim::Style::plain:
      break;
  }
  return {};
}

}  // namespace

void print_styled(const sim::StyledText& text) {
  const bool colour = output_has_colour();
  for (const sim::StyledPart& part : text) {
    // First, so that no sequence but ours is left in it.
    const std::string shown = sim::printable_lines(part.text);
    const bool marked = colour && part.style != sim::Style::plain;
    write_output(marked ? fmt::format(look_of(part.style), "{}", shown) : shown);
  }
}

void print_answer(const std::string& sentence) {
  if (sentence.empty()) return;
  const std::string shown = output_is_terminal() ? wrapped(sentence, output_width()) : sentence;
  print_styled({{shown, sim::Style::heading}, {"\n\n"}});
}

}  // namespace apps
