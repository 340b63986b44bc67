// SPDX-License-Identifier: Apache-2.0
// How the program ends when something outside ends it: no process stays behind, and no half file.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

constexpr std::string_view kTimelineRun =
    "run --topology sdp4bit_a100 --model gpt_125m --nodes 2 --whole --perfetto timeline.json";
// Its simulation takes long enough to be met.
constexpr std::string_view kLong =
    "run --topology sdp4bit_a100 --model gpt_125m --accumulation 400 --whole "
    "--perfetto timeline.json";

// Orphans of the programs that a test starts become children of the test, which can see them.
class Processes : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
  void TearDown() override {
    for (const pid_t orphan : children_of(getpid())) kill(orphan, SIGKILL);
    while (waitpid(-1, nullptr, 0) > 0) {
    }
  }
  static bool no_orphan_stays() {
    return comes_true([] {
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      return children_of(getpid()).empty();
    });
  }
  const Sandbox sandbox_;
};

TEST_F(Processes, ASignalEndsTheSimulationToo) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    Program program(words(kLong), sandbox_.path());
    std::vector<pid_t> simulations;
    ASSERT_TRUE(comes_true([&] {
      simulations = children_of(program.id());
      return !simulations.empty();
    }));
    // Stopped, so that it is not done before its parent ends.
    kill(simulations.front(), SIGSTOP);
    kill(program.id(), signal);
    EXPECT_EQ(program.wait().signal, signal);
    kill(simulations.front(), SIGCONT);
    int status = 0;
    ASSERT_EQ(waitpid(simulations.front(), &status, 0), simulations.front());
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "simulated to the end after signal " << signal;
    EXPECT_EQ(sandbox_.names(), Arguments{}) << "something was written";
  }
}

// Files of at most so many bytes; a longer one is a signal, or an error where that is ignored.
void limit_files(const Program& program, rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  ASSERT_EQ(prlimit(program.id(), RLIMIT_FSIZE, &limit, nullptr), 0);
}
constexpr rlim_t kPartOfTimeline = 10'000;

TEST_F(Processes, KilledWhileItWritesTheTimelineLeavesTheOldOne) {
  sandbox_.write("timeline.json", "old");
  Program program(words(kTimelineRun), sandbox_.path());
  limit_files(program, kPartOfTimeline);
  EXPECT_EQ(program.wait().signal, SIGXFSZ);
  EXPECT_EQ(text_of(sandbox_.path() / "timeline.json"), "old");
  EXPECT_TRUE(no_orphan_stays());
}

TEST_F(Processes, ATimelineThatDoesNotFitOnTheDiskLeavesTheOldOne) {
  sandbox_.write("timeline.json", "old");
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // inherited: a write fails with an error
  Program program(words(kTimelineRun), sandbox_.path());
  std::signal(SIGXFSZ, before);
  limit_files(program, kPartOfTimeline);
  expect_refused(program.wait(), "timeline.json");
  EXPECT_EQ(text_of(sandbox_.path() / "timeline.json"), "old");
  EXPECT_EQ(sandbox_.names(), Arguments{"timeline.json"}) << "a part was left";
}

TEST_F(Processes, AReaderThatLeavesIsNoCrash) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  close(ends[0]);
  Program program(words("run --topology sdp4bit_a100 --model gpt_125m --nodes 2"), sandbox_.path(),
                  ends[1]);
  close(ends[1]);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.signal, SIGPIPE) << "as every filter ends";
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(no_orphan_stays());
}

// Standard output and standard error as a shell's redirections leave them.
int code_with(const std::string& command, const std::string& redirections, const Sandbox& sandbox) {
  const std::string line = "cd '" + sandbox.path().string() + "' && '" GARDENHOSE_PROGRAM "' " +
                           command + " " + redirections;
  const int status = std::system(line.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(Processes, WhereNobodyCanBeToldTheExitCodeSaysIt) {
  const std::string step = "run --topology sdp4bit_a100 --model gpt_125m --nodes 2";
  for (const std::string& fine : {step, std::string("--help")}) {
    SCOPED_TRACE(fine);
    for (const char* lost : {">&-", ">/dev/full", ">&- 2>&-", ">/dev/full 2>/dev/full"}) {
      EXPECT_EQ(code_with(fine, lost, sandbox_), 2) << lost;
    }
    EXPECT_EQ(code_with(fine, ">/dev/null 2>&-", sandbox_), 0);
    EXPECT_EQ(code_with(fine, ">/dev/null 2>/dev/full <&-", sandbox_), 0);
  }
  for (const char* wrong : {"run --topology none --model gpt_125m", "rnu", "export none.sqlite",
                            "run --nodes", "sweep none.toml"}) {
    for (const char* lost : {"2>&-", "2>/dev/full", ">&- 2>&-", ">&- 2>&- <&-"}) {
      EXPECT_EQ(code_with(wrong, lost, sandbox_), 2) << wrong << " " << lost;
    }
  }
}

// The number of a closed descriptor is the next file's, and what is printed would go there.
TEST_F(Processes, WhatIsPrintedNeverGoesIntoAFile) {
  EXPECT_EQ(
      code_with(std::string(kTimelineRun) + " --set gpu.memory=1GB", "<&- >&- 2>&-", sandbox_), 2);
  const std::string timeline = text_of(sandbox_.path() / "timeline.json");
  EXPECT_EQ(
      code_with(std::string(kTimelineRun) + " --set gpu.memory=1GB", ">/dev/null 2>&1", sandbox_),
      0);
  EXPECT_EQ(timeline, text_of(sandbox_.path() / "timeline.json"));
}

// Each limit of open files stops it at another place.
// What whoever runs the tests has left open counts too, so it is closed.
TEST_F(Processes, WhatTheSystemLacksIsNoBugOfOurs) {
  const std::string spec = "[run]\ntopology = \"sdp4bit_a100\"\nmodel = \"gpt_125m\"\nnodes = 1\n";
  for (const std::string& command : {std::string(kTimelineRun), std::string("sweep s.toml -j 1")}) {
    int fine = 0;
    for (int limit = 4; limit <= 14; ++limit) {
      SCOPED_TRACE(command + " with " + std::to_string(limit));
      const Sandbox sandbox;
      sandbox.write("s.toml", spec);
      const std::string line = "cd '" + sandbox.path().string() +
                               "' && exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- && { ulimit -n " +
                               std::to_string(limit) + "; exec '" GARDENHOSE_PROGRAM "' " +
                               command + "; } >out 2>err";
      const int status = std::system(line.c_str());
      ASSERT_TRUE(WIFEXITED(status));
      fine += WEXITSTATUS(status) == 0 ? 1 : 0;
      if (WEXITSTATUS(status) == 0) continue;
      const std::string said = text_of(sandbox.path() / "out") + text_of(sandbox.path() / "err");
      EXPECT_NE(WEXITSTATUS(status), 70) << said;
      EXPECT_NE(said.find("ulimit -n"), std::string::npos) << said;
    }
    EXPECT_GT(fine, 0) << "no limit was enough";
  }
}

TEST_F(Processes, AFolderForTemporaryFilesThatIsMissingIsNamed) {
  sandbox_.write("s.toml", "[run]\ntopology = \"sdp4bit_a100\"\nmodel = \"gpt_125m\"\nnodes = 1\n");
  ASSERT_EQ(run(words("sweep s.toml -j 1"), sandbox_.path()).code, 0);
  const std::string line = "cd '" + sandbox_.path().string() +
                           "' && TMPDIR=/no/such '" GARDENHOSE_PROGRAM "' report s.sqlite 2>err";
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 2);
  EXPECT_TRUE(text_of(sandbox_.path() / "err").starts_with("TMPDIR: '/no/such' is not a folder"));
}

TEST_F(Processes, StandardInputHasALimit) {
  const std::string line = "cd '" + sandbox_.path().string() +
                           "' && '" GARDENHOSE_PROGRAM
                           "' check - --baseline new.json --update </dev/zero 2>err";
  EXPECT_EQ(WEXITSTATUS(std::system(line.c_str())), 2);
  EXPECT_TRUE(
      text_of(sandbox_.path() / "err").starts_with("standard input: is larger than 64 MiB"));
}

TEST_F(Processes, OutputThatCannotBeWrittenIsAnError) {
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  for (const char* arguments :
       {"run --topology sdp4bit_a100 --model gpt_125m --nodes 2", "list", "--help", "--version"}) {
    const Outcome outcome = Program(words(arguments), sandbox_.path(), full).wait();
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_TRUE(outcome.err.starts_with("standard output: ")) << outcome.err;
  }
  close(full);
}

}  // namespace
}  // namespace apps_tests
