// SPDX-License-Identifier: Apache-2.0
// What an InputError says, and the promise that it keeps: every line of it names its place.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>

#include "sim/base/error.hpp"
#include "tests/shipped_files.hpp"

// The text of the InputError that `act` throws; empty when it throws none.
template <class Act>
std::string input_error_of(Act&& act) {
  try {
    act();
  } catch (const sim::InputError& error) {
    EXPECT_STRNE(error.what(), "") << "an InputError without text";
    return error.what();
  }
  return {};
}

// True for "FILE:12:3: what", "FILE: what" and "`set` KEY: what", on one printable line.
inline bool is_located(std::string_view line, std::string_view file) {
  for (const char c : line) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) return false;
  }
  if (line.starts_with("`set` ")) return line.find(": ") != std::string_view::npos;
  if (!line.starts_with(file)) return false;
  line.remove_prefix(file.size());
  for (int number = 0; number < 2 && line.size() > 1 && line[1] != ' '; ++number) {
    std::size_t digits = 1;
    while (digits < line.size() && std::isdigit(static_cast<unsigned char>(line[digits])) != 0) {
      ++digits;
    }
    if (line[0] != ':' || digits == 1 || line[1] == '0') return false;
    line.remove_prefix(digits);
  }
  return line.starts_with(": ") && line.size() > 2;
}

inline void expect_located(const std::string& error, std::string_view file) {
  for (const std::string& line : lines_of(error)) {
    EXPECT_TRUE(is_located(line, file)) << "without its place: " << line;
  }
}
