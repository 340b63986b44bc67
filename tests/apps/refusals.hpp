// SPDX-License-Identifier: Apache-2.0
// What a user sees of wrong input: lines that name their place on standard error, exit code 2, and
// nothing else.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

#include "tests/apps/program.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {

// Every line starts with `place` and goes on with ": " or, in a file, ":LINE:COLUMN: ".
inline void expect_refused(const Outcome& outcome, std::string_view place, std::size_t lines = 1) {
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  ASSERT_TRUE(outcome.err.ends_with("\n")) << outcome.err;
  const auto said = lines_of(outcome.err);
  EXPECT_EQ(said.size(), lines) << outcome.err;
  for (const std::string& line : said) {
    EXPECT_TRUE(line.starts_with(place)) << line;
    const std::string rest = line.substr(std::min(line.size(), place.size()));
    EXPECT_TRUE(rest.starts_with(":") && rest.find(": ") != std::string::npos) << line;
    for (const char c : line) EXPECT_EQ(std::iscntrl(static_cast<unsigned char>(c)), 0) << line;
  }
}

// The same of the words of `command`, in the source tree.
inline void expect_command_refused(const std::string& command, std::string_view place) {
  SCOPED_TRACE(command);
  expect_refused(run(words(command), source_directory()), place);
}

}  // namespace apps_tests
