// SPDX-License-Identifier: Apache-2.0
// JSON nested deeper than a stack is refused wherever a command reads it, in files and in stores.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/apps/sweeps.hpp"

namespace apps_tests {
namespace {

constexpr int kDeep = 50'000;

std::string nested_lists() { return std::string(kDeep, '[') + std::string(kDeep, ']'); }

// Points of a scheme, and of two inputs for a map.
void write_store(const Sandbox& sandbox) {
  sandbox.write("s.toml", R"([run]
topology = "sdp4bit_a100"
model = "gpt_125m"
[grid]
scheme = ["sharded", "sdp4bit"]
accumulation = [1, 2]
nodes = [1, 2]
)");
  ASSERT_EQ(sweep_in(sandbox).code, 0);
}

TEST(NestedJson, OfAStoreIsRefusedByWhateverReadsIt) {
  const Sandbox sandbox;
  write_store(sandbox);
  const std::string commands[] = {"export bad.sqlite", "report bad.sqlite",
                                  "map bad.sqlite --x accumulation --y nodes",
                                  "merge all.sqlite bad.sqlite", "check bad.sqlite --update"};
  for (const char* place : {"points set inputs", "reports set report", "origins set files"}) {
    std::filesystem::copy_file(sandbox.path() / "s.sqlite", sandbox.path() / "bad.sqlite",
                               std::filesystem::copy_options::overwrite_existing);
    query(sandbox,
          std::string("update ") + place + " = '{\"a\":" + nested_lists() + "}' where rowid = 1",
          "bad.sqlite");
    int refusals = 0;
    for (const std::string& command : commands) {
      SCOPED_TRACE(std::string(place) + ", " + command);
      const Outcome outcome = run(words(command), sandbox.path());
      EXPECT_EQ(outcome.signal, 0);
      if (outcome.code == 0) continue;  // reads no such column
      ++refusals;
      expect_refused(outcome, "bad.sqlite");
      EXPECT_NE(outcome.err.find("is damaged"), std::string::npos) << outcome.err;
      std::filesystem::remove(sandbox.path() / "all.sqlite");
    }
    EXPECT_GT(refusals, 0) << place;
  }
}

TEST(NestedJson, OfAFileIsRefused) {
  const Sandbox sandbox;
  const std::string object = "{\"a\":" + nested_lists() + "}";
  sandbox.write("deep.json", object);
  sandbox.write("trace.json", "{\"traceEvents\":[" + object + "],\"b\":" + nested_lists() + "}");
  sandbox.write("s.toml", kTinySweep);
  sandbox.write("s.baseline.json", object);
  for (const auto& [command, place] : std::vector<std::pair<std::string, std::string>>{
           {"run --topology dgx_h100_x16 --model deep.json", "deep.json"},
           {"run --topology dgx_h100_x16 --model gpt_125m --calibration deep.json", "deep.json"},
           {"fit --trace trace.json", "trace.json"},
           {"fit --trace deep.json", "deep.json"},
           {"check s.toml", "s.baseline.json"}}) {
    SCOPED_TRACE(command);
    expect_refused(run(words(command), sandbox.path()), place);
  }
}

}  // namespace
}  // namespace apps_tests
