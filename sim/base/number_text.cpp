// SPDX-License-Identifier: Apache-2.0
#include "sim/base/number_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/letters.hpp"
#include "sim/base/quantity_text.hpp"

namespace sim {
namespace {

// A name with both powers may mean either.
struct Multiple {
  std::string_view name;
  int tens = 0;     // power of 10
  double twos = 0;  // power of 2
};
constexpr Multiple kMultiples[] = {
    {"k", 3, 0x1p10},  {"K", 3, 0x1p10},  {"M", 6, 0x1p20},  {"G", 9, 0x1p30}, {"B", 9},
    {"T", 12},         {"thousand", 3},   {"million", 6},    {"billion", 9},   {"trillion", 12},
    {"Ki", 0, 0x1p10}, {"Mi", 0, 0x1p20}, {"Gi", 0, 0x1p30}, {"Ti", 0, 0x1p40}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "2000000 USD" of "2,000,000 USD" and "2_000_000 USD".
std::string without_groups(std::string_view text, Counting counting) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789,_"), text.size());
  const std::size_t first = text.substr(0, end).find_first_of(",_");
  if (first == text.npos || first == 0 || first > 3 || (end - first) % 4 != 0) {
    return std::string(text);
  }
  const char mark = text[first];
  if (mark == ',' && counting == Counting::small) return std::string(text);
  std::string plain(text.substr(0, first));
  for (std::size_t i = first; i < end; ++i) {
    if (is_digit(text[i]) == ((i - first) % 4 == 0) || (!is_digit(text[i]) && text[i] != mark)) {
      return std::string(text);
    }
    if (text[i] != mark) plain += text[i];
  }
  return plain.append(text.substr(end));
}

// "1.1" times ten to the 12th is the double nearest to 1.1e12, which 1.1 * 1e12 need not be.
std::optional<double> scaled(const std::string& digits, int tens) {
  if (tens == 0) return number_in<double>(digits);
  if (digits.find_first_of("eE") != std::string::npos) return std::nullopt;
  return number_in<double>(fmt::format("{}e{}", digits, tens));
}

std::string_view example_or(std::string_view example, Counting counting, std::string_view usual) {
  if (!example.empty()) return example;
  return counting == Counting::large ? "15T or 15e12" : usual;
}

// One that differs by its capitals alone.
const Multiple* alike(std::string_view name) {
  const auto* found = std::ranges::find(
      kMultiples, in_lower_case(name), [](const Multiple& one) { return in_lower_case(one.name); });
  return found == std::end(kMultiples) || found->name == name ? nullptr : found;
}

// Reads a text for a message that names it.
class NumberText {
 public:
  NumberText(std::string_view noun, std::string_view text, Counting counting,
             std::string_view example)
      : noun_(noun),
        shown_(printable(without_blanks_around(text))),
        counting_(counting),
        example_(example),
        parts_(split_number(without_blanks_around(text), counting)) {
    parts_.rest = std::string(without_blanks_around(parts_.rest));
  }

  [[nodiscard]] Parsed<double> number() const {
    if (parts_.digits.empty()) return none();
    if (parts_.rest.empty()) return checked(scaled(parts_.digits, 0));
    if (parts_.rest == "%") return checked(scaled(parts_.digits, -2));
    return parts_.rest.starts_with(':') ? ratio() : multiple();
  }

  [[nodiscard]] Parsed<double> whole() const {
    if (is_share()) return none();
    const Parsed<double> read = number();
    if (!read.value || *read.value == std::trunc(*read.value)) return read;
    return wrong(fmt::format("is not a whole number; write {:.0f} or {:.0f}",
                             std::floor(*read.value), std::ceil(*read.value)));
  }
  // For a number that is none of the range.
  [[nodiscard]] Parsed<double> out_of_range() const {
    return wrong(fmt::format("is out of range; write e.g. {}", example_));
  }

 private:
  [[nodiscard]] bool is_share() const {
    return parts_.rest.starts_with(':') || parts_.rest.ends_with('%');
  }
  [[nodiscard]] Parsed<double> ratio() const {
    const auto divisor =
        number_in<double>(without_blanks_around(std::string_view(parts_.rest).substr(1)));
    const auto dividend = scaled(parts_.digits, 0);
    if (!divisor || !dividend || *divisor < 0) return none();
    if (*divisor == 0) return wrong("divides by 0; write e.g. 2:1");
    return checked(*dividend / *divisor);
  }
  [[nodiscard]] Parsed<double> multiple() const {
    const auto* found = std::ranges::find(kMultiples, parts_.rest, &Multiple::name);
    if (found == std::end(kMultiples)) return none();
    const auto tens = scaled(parts_.digits, found->tens);
    const auto twos = scaled(parts_.digits, 0);
    if (!tens || !twos) return none();
    if (found->twos == 0) return checked(tens);
    if (found->tens == 0) return checked(*twos * found->twos);
    if (counting_ == Counting::large) return checked(tens);
    return wrong(fmt::format("may mean {} or {}; write one of them", *tens, *twos * found->twos));
  }

  [[nodiscard]] Parsed<double> checked(std::optional<double> value) const {
    return value && std::isfinite(*value) ? Parsed<double>{value, {}} : out_of_range();
  }
  [[nodiscard]] Parsed<double> wrong(std::string_view what) const {
    return {std::nullopt, fmt::format("'{}' {}", shown_, what)};
  }
  [[nodiscard]] Parsed<double> none() const {
    const Multiple* const meant = parts_.digits.empty() ? nullptr : alike(parts_.rest);
    return wrong(meant == nullptr ? fmt::format("is not a {}; write e.g. {}", noun_, example_)
                                  : fmt::format("is not a {}; did you mean {}{}?", noun_,
                                                parts_.digits, meant->name));
  }

  std::string_view noun_;
  std::string shown_;
  Counting counting_;
  std::string_view example_;
  DigitsAndRest parts_;
};

}  // namespace

std::string_view without_blanks_around(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

DigitsAndRest split_number(std::string_view text, Counting counting) {
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  const std::size_t point = text.substr(sign).starts_with('.') ? sign + 1 : sign;
  // from_chars would also take "inf" and "nan".
  if (point == text.size() || !is_digit(text[point])) return {"", std::string(text)};
  const std::string plain =
      std::string(text.substr(0, sign)) + without_groups(text.substr(sign), counting);
  double number = 0;
  const char* const end = plain.data() + plain.size();
  const char* const stop = std::from_chars(plain.data(), end, number).ptr;
  return {std::string(plain.data(), stop), std::string(stop, end)};
}

Parsed<double> parse_number(std::string_view text, Counting counting, std::string_view example) {
  return NumberText("number", text, counting, example_or(example, counting, "0.5 or 50%")).number();
}

Parsed<std::int64_t> parse_count(std::string_view text, Counting counting,
                                 std::string_view example) {
  if (const auto exact = number_in<std::int64_t>(without_blanks_around(text))) return {exact, {}};
  const NumberText read("whole number", text, counting, example_or(example, counting, "8"));
  Parsed<double> whole = read.whole();
  if (whole.value && !(std::abs(*whole.value) < 0x1p63)) whole = read.out_of_range();
  if (!whole.value) return {std::nullopt, whole.problem};
  return {static_cast<std::int64_t>(*whole.value), {}};
}

}  // namespace sim
