// SPDX-License-Identifier: Apache-2.0
// A scheme's file and a codec card of a user's own, for tests that run the program with them.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "tests/apps/program.hpp"

namespace apps_tests {

// `text` with the first `from` replaced.
inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

// The shipped scheme as a file.
inline std::string printed_scheme(const std::string& name) {
  const Outcome outcome = run({"list", "scheme", name}, ".");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return outcome.out;
}

inline constexpr std::string_view kCard = R"(summary = "a code of exponents"

[wire]
bits_per_element = [10, 11, 12]
overhead = "256 B"
summable = false

[times]
gpu = "NVIDIA A100-SXM4-40GB"
memory_bandwidth = "1555 GBps"
file = "mine.csv"

[error]
normal = 0.25
)";
inline constexpr std::string_view kTimes = R"(step,inputs,elements,seconds
encode,1,1e6,2e-5
encode,1,1e8,1e-3
decode,1,1e6,2e-5
decode,1,1e8,1e-3
decode_reduce,8,1e5,1e-5
decode_reduce,8,1e7,1e-3
)";
inline constexpr std::string_view kScheme = R"(summary = "gradients by my codec"
source = "a test"
zero = [1]

[gradients]
collective = "all_to_all"
codec = "cards/mine.toml"
)";

// mine.toml, cards/mine.toml and cards/mine.csv.
struct OwnFiles {
  std::string scheme{kScheme};
  std::string card{kCard};
  std::string times{kTimes};
  std::string job = "--topology sdp4bit_a100 --nodes 2";

  void write(const Sandbox& sandbox) const {
    std::filesystem::create_directory(sandbox.path() / "cards");
    sandbox.write("mine.toml", scheme);
    sandbox.write("cards/mine.toml", card);
    sandbox.write("cards/mine.csv", times);
  }
};

// A step of a small job; `flags` are more of them, --scheme among them.
inline Outcome run_step(std::string_view flags, const Sandbox& sandbox,
                        const std::string& job = OwnFiles().job) {
  Arguments arguments = words("run --model gpt_125m --format json " + job);
  for (const std::string& word : words(flags)) arguments.push_back(word);
  return run(arguments, sandbox.path());
}

inline Outcome run_files(const OwnFiles& files, std::string_view flags = "") {
  const Sandbox sandbox;
  files.write(sandbox);
  return run_step("--scheme mine.toml " + std::string(flags), sandbox, files.job);
}

}  // namespace apps_tests
