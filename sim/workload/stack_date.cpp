// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/stack_date.hpp"

#include <fmt/format.h>

#include <chrono>

#include "sim/base/number_text.hpp"

namespace sim {
namespace {

std::chrono::sys_days last_day(const StackDate& date) {
  using namespace std::chrono;
  const year_month of{year(date.year), month(date.month == 0 ? 12 : unsigned(date.month))};
  if (date.day == 0) return sys_days(of / last);
  return sys_days(of / day(unsigned(date.day)));
}

// Of exactly so many digits; nothing for another text.
std::optional<int> digits(std::string_view text, std::size_t count) {
  if (text.size() != count) return std::nullopt;
  if (text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  return number_in<int>(std::string(text));
}

}  // namespace

std::optional<StackDate> parse_stack_date(std::string_view text) {
  StackDate date;
  int* const parts[] = {&date.year, &date.month, &date.day};
  for (int* part : parts) {
    const std::size_t end = text.find('-');
    const auto value = digits(text.substr(0, end), part == &date.year ? 4 : 2);
    if (!value || *value == 0) return std::nullopt;
    *part = *value;
    if (end == std::string_view::npos) {
      const auto shown = [](int one) { return unsigned(one == 0 ? 1 : one); };
      using namespace std::chrono;
      const year_month_day whole{year(date.year), month(shown(date.month)), day(shown(date.day))};
      return whole.ok() ? std::optional(date) : std::nullopt;
    }
    text.remove_prefix(end + 1);
  }
  return std::nullopt;
}

std::string to_text(const StackDate& date) {
  if (!is_given(date)) return "";
  std::string text = fmt::format("{:04}", date.year);
  if (date.month != 0) text += fmt::format("-{:02}", date.month);
  if (date.day != 0) text += fmt::format("-{:02}", date.day);
  return text;
}

bool is_before(const StackDate& date, const StackDate& other) {
  return last_day(date) < last_day(other);
}

}  // namespace sim
