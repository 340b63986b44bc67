// SPDX-License-Identifier: Apache-2.0
// `compare` as a user calls it, and `run` beside it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {

using Json = nlohmann::json;

inline Arguments comparison(const std::string& a, const std::string& b, const std::string& shared) {
  Arguments arguments{"compare", "--a", a, "--b", b};
  for (const std::string& word : words(shared)) arguments.push_back(word);
  return arguments;
}

inline Outcome compared(const std::string& a, const std::string& b, const std::string& shared) {
  return run(comparison(a, b, shared), source_directory());
}

inline Json findings(const std::string& a, const std::string& b, const std::string& shared) {
  return json_of(comparison(a, b, shared), source_directory());
}

// Whose an assumption is, each with a blank behind it: "both ", or "A B ".
inline std::string whose(const Json& found, const std::string& assumption) {
  std::string text;
  for (const Json& one : found["assumptions"]) {
    if (one["assumption"] == assumption) text += one["of"].get<std::string>() + " ";
  }
  return text;
}

inline double tokens_per_s(const std::string& flags) {
  return json_of("run " + flags)["tokens_per_s"];
}

}  // namespace apps_tests
