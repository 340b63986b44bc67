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

#include "tests/apps/refusals.hpp"

namespace apps_tests {
namespace {

constexpr std::string_view kRun =
    "run --topology sdp4bit_a100 --model gpt_125m --nodes 2 --perfetto timeline.json";
// Its simulation takes long enough to be met.
constexpr std::string_view kLong =
    "run --topology sdp4bit_a100 --model gpt_125m --accumulation 400 --perfetto timeline.json";

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
  Program program(words(kRun), sandbox_.path());
  limit_files(program, kPartOfTimeline);
  EXPECT_EQ(program.wait().signal, SIGXFSZ);
  EXPECT_EQ(text_of(sandbox_.path() / "timeline.json"), "old");
  EXPECT_TRUE(no_orphan_stays());
}

TEST_F(Processes, ATimelineThatDoesNotFitOnTheDiskLeavesTheOldOne) {
  sandbox_.write("timeline.json", "old");
  const auto before = std::signal(SIGXFSZ, SIG_IGN);  // inherited: a write fails with an error
  Program program(words(kRun), sandbox_.path());
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
