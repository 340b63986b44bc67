// `compare` as a user calls it, and `run` beside it.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/refusals.hpp"

namespace apps_tests {

using Json = nlohmann::json;

inline Outcome compared(const std::string& a, const std::string& b, const std::string& shared) {
  Arguments arguments{"compare", "--a", a, "--b", b};
  for (const std::string& word : words(shared)) arguments.push_back(word);
  return run(arguments, source_directory());
}

inline Json findings(const std::string& a, const std::string& b, const std::string& shared) {
  const Outcome outcome = compared(a, b, shared + " --format json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

inline double tokens_per_s(const std::string& flags) {
  const Outcome outcome = run(words("run " + flags + " --format json"), source_directory());
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out)["tokens_per_s"];
}

}  // namespace apps_tests
