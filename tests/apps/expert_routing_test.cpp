// SPDX-License-Identifier: Apache-2.0
// Wrong values and files of --routing and --capacity-factor: one line each that names its place.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

// 8 experts, of which each token passes 2.
const std::string kExperts =
    "run --topology dgx_h100_x16 --nodes 2 --model mixtral_8x7b --set model.layers=2 --zero 3 "
    "--range off";
const std::string kDense =
    "run --topology dgx_h100_x16 --nodes 2 --model gpt_125m --zero 3 --range off";

Outcome run_with_loads(const std::string& file, const Sandbox& sandbox) {
  return run(words(kExperts + " --routing " + file), sandbox.path());
}

TEST(ExpertRoutingFlags, RefuseWhatIsNoRouting) {
  for (const char* text : {"Random", "uniform", "power_law", "power_law:", "power_law:0",
                           "power_law:-1", "power_law:nan", "power_law:inf", "power_law:1e9",
                           "power_law:1.2x", "random:3", "no/such/loads.csv"}) {
    expect_command_refused(fmt::format("{} --routing {}", kExperts, text), "--routing");
  }
  expect_refused(run({"run", "--routing", ""}, source_directory()), "--routing");
}

TEST(ExpertRoutingFlags, RefuseACapacityBelowTheMean) {
  for (const char* text : {"0", "0.99", "-1", "nan", "inf", "-inf", "1e999", "one", "1.25x"}) {
    expect_command_refused(fmt::format("{} --capacity-factor={}", kExperts, text),
                           "--capacity-factor");
  }
}

TEST(ExpertRoutingFlags, AreRefusedWithoutExperts) {
  for (const char* routing : {"random", "power_law:1.2"}) {
    expect_command_refused(fmt::format("{} --routing {}", kDense, routing), "--routing");
  }
  expect_command_refused(kDense + " --capacity-factor 1.5", "--capacity-factor");
  EXPECT_EQ(run(words(kDense + " --routing balanced"), source_directory()).code, 0);
}

TEST(ExpertRoutingFiles, AreRead) {
  const Sandbox sandbox;
  sandbox.write("loads.csv", "# rows of layer 3\n1,2,3,4\n5 6 7\n8\n");
  const Outcome outcome = run_with_loads("loads.csv", sandbox);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(
      run(words(kExperts + " --routing loads.csv --capacity-factor 1.25"), sandbox.path()).code, 0);
}

TEST(ExpertRoutingFiles, WithoutLoadsAreRefusedAtTheirPlace) {
  for (const char* text : {"", "\n\n", "# none\n", "0\n0\n0\n0\n0\n0\n0\n0\n", "1e308\n1e308\n"}) {
    const Sandbox sandbox;
    sandbox.write("loads.csv", text);
    expect_refused(run_with_loads("loads.csv", sandbox), "loads.csv");
  }
  for (const char* text : {"1\n-2\n", "1\nnan\n", "1\ninf\n", "1\n1e999\n", "1\n0x10\n", "1\n+2\n",
                           "1\nexpert 2\n", "1\n2;3\n", "1\n\x1b[2J\n", "1\n\xff\n"}) {
    const Sandbox sandbox;
    sandbox.write("loads.csv", text);
    expect_refused(run_with_loads("loads.csv", sandbox), "loads.csv:2");
  }
}

TEST(ExpertRoutingFiles, OfOtherExpertsAreRefused) {
  for (const char* text : {"1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\n5\n6\n7\n8\n9\n"}) {
    const Sandbox sandbox;
    sandbox.write("loads.csv", text);
    expect_refused(run_with_loads("loads.csv", sandbox), "--routing");
  }
  const Sandbox sandbox;  // two thirds of the rows at one expert, and a token has two of them
  sandbox.write("loads.csv", "14 1 1 1 1 1 1 1");
  const Outcome outcome = run_with_loads("loads.csv", sandbox);
  expect_refused(outcome, "--routing");
  EXPECT_NE(outcome.err.find("0.5 at most"), std::string::npos) << outcome.err;
}

TEST(ExpertRoutingFiles, ThatAreNone) {
  const Sandbox sandbox;
  ASSERT_EQ(mkfifo((sandbox.path() / "pipe.csv").c_str(), 0600), 0);
  for (const std::string file : {"./", "/dev/zero", "/dev/full", "pipe.csv"}) {
    expect_refused(run_with_loads(file, sandbox), file);
  }
  sandbox.write("large.csv", std::string(std::size_t{2} << 20, ' '));
  expect_refused(run_with_loads("large.csv", sandbox), "large.csv");
}

TEST(ExpertRoutingFiles, AreNotOverwritten) {
  const Sandbox sandbox;
  sandbox.write("loads.csv", "1 2 3 4 5 6 7 8");
  expect_refused(run(words(kExperts + " --routing loads.csv --perfetto loads.csv"), sandbox.path()),
                 "--perfetto");
  EXPECT_EQ(text_of(sandbox.path() / "loads.csv"), "1 2 3 4 5 6 7 8");
}

}  // namespace
}  // namespace apps_tests
