// SPDX-License-Identifier: Apache-2.0
// Dates of training software: "2023", "2023-10" or "2023-10-31". A date without a day is the last day
// of its month or year: what had been released by then.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace sim {

struct StackDate {
  int year = 0;                                        // 0: no date, which stands for today
  int month = 0;                                       // 0: not given
  int day = 0;                                         // 0: not given
  auto operator<=>(const StackDate&) const = default;  // an order for maps; dates: is_before()
};

[[nodiscard]] constexpr bool is_given(const StackDate& date) { return date.year != 0; }
// Nothing, if the text is no date of one of the three forms.
[[nodiscard]] std::optional<StackDate> parse_stack_date(std::string_view text);
// As it was given; empty if it was not.
[[nodiscard]] std::string to_text(const StackDate& date);
// Whether `date` ends before `other` does.
[[nodiscard]] bool is_before(const StackDate& date, const StackDate& other);

}  // namespace sim
