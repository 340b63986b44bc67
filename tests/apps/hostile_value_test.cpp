// SPDX-License-Identifier: Apache-2.0
// Values far from anything real: each ends with an answer or with a line that names its place, in
// seconds, and never as a bug.
#include <gtest/gtest.h>

#include <cstdlib>
#include <regex>

#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

const std::string kSmallRun = "run --topology dgx_h100_x16 --nodes 2 --model gpt_125m --range off ";

std::string with_match_as(std::string text, const std::string& pattern, const std::string& by) {
  return std::regex_replace(std::move(text), std::regex(pattern), by);
}

std::string shipped_text(const char* file) { return text_of(source_directory() / file); }

TEST(HostileValue, TokensBeyondAnyTrainingAreRefused) {
  for (const char* tokens : {"0", "0.5", "-1", "1e19", "1e300", "inf", "nan"}) {
    const std::string flag = "--reliability llama3_h100 --tokens=" + std::string(tokens);
    expect_command_refused(kSmallRun + flag, "--tokens");
    expect_command_refused(
        "plan --topology dgx_h100_x16 --model gpt_125m --tokens=" + std::string(tokens),
        "--tokens");
  }
}

// A switch that fails every ten seconds: training would take longer than a double can count.
TEST(HostileValue, AJobThatKeepsNothingIsToldOfInWords) {
  const Sandbox sandbox;
  const std::string usual = shipped_text("traces/reliability/llama3_h100.toml");
  const std::string failing =
      with_match_as(with_match_as(usual, "\nswitch = .*", "\nswitch = \"10 s\""), "\nrepair = .*",
                    "\nrepair = \"12 h\"\nspares = 1");
  sandbox.write("r.toml", failing);
  for (const char* more : {"", "--tokens 1e12", "--tokens 1e18"}) {
    const Outcome outcome = run(words(kSmallRun + "--reliability r.toml " + more), sandbox.path());
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_FALSE(std::regex_search(outcome.out, std::regex("\\b-?(inf|nan)\\b"))) << outcome.out;
  }
  expect_refused(run(words(kSmallRun + "--reliability r.toml --set failures.software=1ns "
                                       "--set recovery.detection=0s --month m.csv"),
                     sandbox.path()),
                 "--month");
  EXPECT_EQ(sandbox.names(), Arguments{"r.toml"});
}

TEST(HostileValue, SparesThatNoNumberOfIsEnoughAreRefused) {
  const Sandbox sandbox;
  sandbox.write("r.toml", shipped_text("traces/reliability/llama3_h100.toml"));
  expect_refused(run(words(kSmallRun + "--reliability r.toml --set recovery.repair=1e11h "
                                       "--set failures.switch=1s"),
                     sandbox.path()),
                 "r.toml");
}

TEST(HostileValue, UplinksWithoutNumberAreRefused) {
  const Sandbox sandbox;
  const std::string usual = shipped_text("topologies/roce_a100_2to1.toml");
  for (const char* rate : {"1 Mbps", "1 kbps", "0.01 bps"}) {
    sandbox.write("e.toml",
                  with_match_as(usual, "\\[network\\]",
                                "[network]\nload_balance = \"ecmp\"\nuplink_bandwidth = \"" +
                                    std::string(rate) + "\""));
    for (const std::string command :
         {"run --topology e.toml --nodes 8 --model gpt_125m", "bom --topology e.toml"}) {
      expect_refused(run(words(command), sandbox.path()), "e.toml");
    }
  }
}

// A step has far more periods than are simulated.
TEST(HostileValue, TrafficThatChangesAllTheTimeIsRefused) {
  const Sandbox sandbox;
  sandbox.write("t.toml",
                "[jobs.e]\nplacement = \"3,7,11\"\npattern = \"all_to_all\"\n"
                "bandwidth = \"100 GBps\"\nperiod = \"100 ns\"\non = \"50 ns\"\n");
  expect_refused(run(words("run --topology roce_a100_2to1 --nodes 4 --model gpt_125m --range off "
                           "--traffic t.toml"),
                     sandbox.path()),
                 "roce_a100_2to1");
}

TEST(HostileValue, SizesNearTheLargestIntegerAreRefused) {
  for (const char* size : {"1e18B", "9223372036854775807B", "9223PB", "8192.1TiB"}) {
    expect_command_refused(
        "collective all_reduce --topology dgx_h100_x16 --nodes 2 --end=" + std::string(size),
        "--end");
  }
  const Outcome largest = run(
      words("collective all_reduce --topology dgx_h100_x16 --nodes 2 --begin=1PB --end=8192TiB"),
      source_directory());
  EXPECT_EQ(largest.code, 0) << largest.err;
}

// Nothing can be said of a program that has no memory to start with.
TEST(HostileValue, TooLittleMemoryIsToldOf) {
  const Sandbox sandbox;
  const std::string command = "cd " + sandbox.path().string() + " && ulimit -v 150000 && " +
                              GARDENHOSE_PROGRAM + " " +
                              "run --topology dgx_h100_x128 --model llama_3.1_405b --whole --nodes "
                              "128 --pp 16 --tp 8 --accumulation 64 >out 2>err; echo $? >code";
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(text_of(sandbox.path() / "code"), "2\n");
  const std::string err = text_of(sandbox.path() / "err");
  EXPECT_TRUE(lines_of(err).back().starts_with("gardenhose: out of memory; ")) << err;
}

TEST(HostileValue, AFolderThatIsGoneIsToldOf) {
  const Sandbox sandbox;
  for (const std::string flags :
       {"run --topology dgx_h100_x16 --nodes 2 --model gpt_125m --range off", "sweep s.toml",
        "check s.toml", "report s.sqlite",
        "run --topology dgx_h100_x16 --nodes 2 --model gpt_125m --perfetto t.json"}) {
    const std::string command = "cd " + sandbox.path().string() +
                                " && mkdir -p gone && cd gone && rmdir ../gone && " +
                                GARDENHOSE_PROGRAM + " " + flags +
                                " >../out 2>../err; echo $? "
                                ">../code";
    ASSERT_EQ(std::system(command.c_str()), 0);
    const std::string err = text_of(sandbox.path() / "err");
    const std::string code = text_of(sandbox.path() / "code");
    EXPECT_TRUE(code == "2\n" || (code == "0\n" && err.empty())) << flags << code << err;
    EXPECT_EQ(err.find("internal error"), std::string::npos) << err;
    if (code == "2\n") {
      EXPECT_EQ(lines_of(err).size(), 1u) << err;
    }
  }
}

// Where it stands, not where it would be used.
TEST(HostileValue, AControlCharacterInASpecIsRefusedWhereItStands) {
  const Sandbox sandbox;
  for (const char* escape : {"\\n", "\\u0007", "\\u001b[31m"}) {
    sandbox.write("s.toml", "[run]\ntopology = \"dgx_h100_x16\"\nmodel = \"gpt" +
                                std::string(escape) + "\"\n[grid]\nnodes = [1, 2]\n");
    expect_refused(run(words("sweep s.toml"), sandbox.path()), "s.toml");
    EXPECT_EQ(sandbox.names(), Arguments{"s.toml"});
  }
}

}  // namespace
}  // namespace apps_tests
