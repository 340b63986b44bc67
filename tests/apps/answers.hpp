// SPDX-License-Identifier: Apache-2.0
// What a command answers with --format json.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/program.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {

// Null where it fails, which is a failure of the test.
inline nlohmann::json json_of(Arguments arguments, const std::filesystem::path& folder) {
  arguments.insert(arguments.end(), {"--format", "json"});
  const Outcome outcome = run(arguments, folder);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.code == 0 ? nlohmann::json::parse(outcome.out) : nlohmann::json();
}

// The same of the words of `command`, in the source tree.
inline nlohmann::json json_of(const std::string& command) {
  SCOPED_TRACE(command);
  return json_of(words(command), source_directory());
}

// The last of the records of a run, which has an array only of several.
inline nlohmann::json last_of(const nlohmann::json& report) {
  return report.is_array() ? report.back() : report;
}

}  // namespace apps_tests
