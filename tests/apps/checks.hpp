// SPDX-License-Identifier: Apache-2.0
// A study of two points with a baseline, for the tests of check.
#pragma once

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tests/apps/refusals.hpp"
#include "tests/apps/sweeps.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {

// Two points, of which one has codecs, whose times are in table.json.
inline constexpr std::string_view kStudy = R"([grid]
scheme = ["sharded", "sdp4bit"]
[run]
topology = "sdp4bit_a100"
model = "gpt_125m"
calibration = "./table.json"
nodes = 1
)";

inline std::string replaced_in(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const std::size_t place = result.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return result.replace(place, from.size(), to);
}

// To the process of a point, as soon as there is one.
inline void signal_worker(const Program& program, int signal) {
  std::vector<pid_t> workers;
  ASSERT_TRUE(comes_true([&] { return !(workers = children_of(program.id())).empty(); }));
  kill(workers[0], signal);
}

// Starts `command` on a long sweep's s.toml, and presses Ctrl-C while a point runs.
inline void interrupt(const Sandbox& sandbox, const std::string& command) {
  sandbox.write("s.toml", kLongSweep);
  Program program(words(command), sandbox.path());
  ASSERT_TRUE(comes_true([&] { return !children_of(program.id()).empty(); }));
  kill(program.id(), SIGINT);
  EXPECT_EQ(program.wait().code, 130);
}

// A shipped table with the kernels of its first codec so many times slower.
inline std::string slower_table(double factor) {
  nlohmann::json table = nlohmann::json::parse(
      text_of(source_directory() / "traces/calibration/a100_sdp4bit_published.json"));
  const nlohmann::json codec = table["codecs"][0]["codec"];
  for (nlohmann::json& row : table["codecs"]) {
    if (row["codec"] != codec) continue;
    for (nlohmann::json& seconds : row["median_s"]) seconds = seconds.get<double>() * factor;
  }
  return table.dump();
}

inline Outcome check_in(const Sandbox& sandbox, const std::string& flags = "") {
  return run(words("check s.toml " + flags), sandbox.path());
}

// s.toml, which is the study and what is `more` in [run], table.json and s.baseline.json.
inline void write_study(const Sandbox& sandbox, std::string_view more = "") {
  sandbox.write("s.toml", std::string(kStudy) + std::string(more));
  sandbox.write("table.json", slower_table(1));
  const Outcome outcome = check_in(sandbox, "--update");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  ASSERT_EQ(outcome.out,
            "s.baseline.json: written, 2 points; tolerance: all metrics 0.0001 % or 1e-09\n");
}

inline void edit(const Sandbox& sandbox,
                 const std::function<void(nlohmann::ordered_json&)>& change) {
  auto baseline = nlohmann::ordered_json::parse(text_of(sandbox.path() / "s.baseline.json"));
  change(baseline);
  sandbox.write("s.baseline.json", baseline.dump(1));
}

inline void expect_says(const std::string& text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    EXPECT_NE(text.find(part), std::string::npos) << "no " << part << " in\n" << text;
  }
}

inline void expect_valid_junit(const Sandbox& sandbox, const std::string& file) {
  const std::string command = "xmllint --noout --schema '" +
                              (source_directory() / "tests/apps/junit.xsd").string() + "' '" +
                              (sandbox.path() / file).string() + "' 2>'" +
                              (sandbox.path() / "xmllint.log").string() + "'";
  EXPECT_EQ(std::system(command.c_str()), 0)
      << text_of(sandbox.path() / "xmllint.log").substr(0, 2000);
}

}  // namespace apps_tests
