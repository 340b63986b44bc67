// SPDX-License-Identifier: Apache-2.0
// Messages to people, made safe to display: the only way to standard output and standard error.
#pragma once

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "apps/streams.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/styled_text.hpp"

namespace apps {

// To standard output: tables, and CSV.
template <class... Values>
void print_text(fmt::format_string<Values...> format, Values&&... values) {
  write_output(sim::printable_lines(fmt::format(format, std::forward<Values>(values)...)));
}

// To standard output: text with marks that a terminal shows.
void print_styled(const sim::StyledText& text);

// To standard output, above what it is about: the sentence that answers the question.
void print_answer(const std::string& sentence);

// To standard output: JSON that is whole.
inline void print_json(std::string_view text) { write_output(sim::printable_json(text)); }

// To standard error: notes, warnings, errors.
template <class... Values>
void print_note(fmt::format_string<Values...> format, Values&&... values) {
  write_error(sim::printable_lines(fmt::format(format, std::forward<Values>(values)...)));
}

}  // namespace apps
