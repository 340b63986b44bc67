// SPDX-License-Identifier: Apache-2.0
// Bare numbers as text: as programs write them, and as people do.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sim {

// A value, or else what is wrong with the text and what to write instead.
template <class T>
struct Parsed {
  std::optional<T> value;
  std::string problem;  // "'2' has no unit; write e.g. \"2 us\""
};

// The number that all of the text is, as programs write it: without blanks or a sign '+'; nothing
// for any other text.
template <class T>
[[nodiscard]] std::optional<T> number_in(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

// What people count, which decides what their abbreviations mean.
enum class Counting {
  small,  // layers, tokens of a sequence: 8K may be 8000 or 8192, and 256,512 are two numbers
  large,  // tokens to train on, dollars: 8K is 8000, and 256,512 is one number
};

// A number as people write it: "1e12", "1.5T", "15 trillion", "64Ki", "2_000_000", "2 %", "2:1"; with
// Counting::large also "500k", "3M" and "2,000,000". Never infinite. `example` is what messages
// suggest; if empty, what is usual.
[[nodiscard]] Parsed<double> parse_number(std::string_view text,
                                          Counting counting = Counting::small,
                                          std::string_view example = {});

// The same of a whole number, which neither percents nor ratios are.
[[nodiscard]] Parsed<std::int64_t> parse_count(std::string_view text,
                                               Counting counting = Counting::small,
                                               std::string_view example = {});

// The number at the beginning of a text, as programs write it, and what follows: "2000000" and
// " USD" of "2,000,000 USD". Without digits at the beginning, `digits` is empty.
struct DigitsAndRest {
  std::string digits, rest;
};
[[nodiscard]] DigitsAndRest split_number(std::string_view text, Counting counting);

[[nodiscard]] std::string_view without_blanks_around(std::string_view text);

}  // namespace sim
