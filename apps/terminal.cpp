// SPDX-License-Identifier: Apache-2.0
#include "apps/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "sim/base/number_text.hpp"

namespace apps {
namespace {

constexpr std::size_t kNarrowest = 20, kUsual = 100, kWidest = 1000;

std::string_view variable(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? std::string_view() : text;
}

std::size_t named_width() {
  const auto width = sim::number_in<std::size_t>(variable("COLUMNS"));
  return width && *width >= kNarrowest && *width <= kWidest ? *width : kUsual;
}

}  // namespace

bool output_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

bool output_has_colour() {
  const std::string_view kind = variable("TERM");
  return output_is_terminal() && variable("NO_COLOR").empty() && !kind.empty() && kind != "dumb";
}

std::size_t output_width() {
  winsize size{};
  // A terminal that does not know its size says 0.
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return named_width();
}

}  // namespace apps
