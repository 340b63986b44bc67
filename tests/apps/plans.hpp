// SPDX-License-Identifier: Apache-2.0
// Plans of a small cluster, and their commands.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/answers.hpp"
#include "tests/apps/refusals.hpp"

namespace apps_tests {

using Json = nlohmann::json;

// Four layers on up to two nodes of four H100; a step of 16 sequences of 2048 tokens.
inline const std::string kTiny =
    "plan --topology dgx_h100_x16 --set cluster.nodes=2 --model gpt_125m --gpus-per-node 4 "
    "--set model.layers=4 --tokens 1e10 --batch-tokens 32768 ";

inline Json plan(const std::string& text) { return json_of(text); }
inline Json plans(const std::string& text) { return plan(text).at("plans"); }

// A command as words; what a shell would take out of quotes has them here.
inline Arguments words_of_run(std::string command) {
  std::erase(command, '\'');
  Arguments arguments = words(command);
  EXPECT_EQ(arguments.front(), "gardenhose");
  arguments.erase(arguments.begin());
  return arguments;
}
inline Arguments words_of_command(const std::string& command) {
  Arguments arguments = words_of_run(command);
  arguments.insert(arguments.end(), {"--format", "json"});
  return arguments;
}

}  // namespace apps_tests
