// SPDX-License-Identifier: Apache-2.0
// Sweeps that something ends: a signal, a crash, a full disk. Nothing is lost, nothing done twice.
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "tests/apps/sweeps.hpp"

namespace apps_tests {
namespace {

std::set<std::string> recorded(const Sandbox& sandbox) {
  const auto rows = query(sandbox, "select number, session from points where state <> 'open'");
  return {rows.begin(), rows.end()};
}

// What one that ran through exports.
std::string whole(std::string_view spec) {
  const Sandbox sandbox;
  sandbox.write("s.toml", spec);
  EXPECT_EQ(sweep_in(sandbox).code, 0);
  return exported(sandbox);
}

TEST(SweepEnds, KilledAtAnyMomentItGoesOn) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kSmallSweep);
  std::mt19937 random(20240601);  // NOLINT: the same moments every time
  std::set<std::string> before;
  for (int i = 0; i < 10; ++i) {
    Program program(words("sweep s.toml -j 2"), sandbox.path());
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random() % 300));
    kill(program.id(), SIGKILL);
    (void)program.wait();
    if (!std::filesystem::exists(sandbox.path() / "s.sqlite")) continue;
    if (query(sandbox, "select 1 from sqlite_master where name = 'points'").empty()) continue;
    const auto now = recorded(sandbox);
    EXPECT_TRUE(std::ranges::includes(now, before)) << "lost, or done twice";
    before = now;
  }
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  EXPECT_TRUE(std::ranges::includes(recorded(sandbox), before)) << "lost, or done twice";
  EXPECT_EQ(exported(sandbox), whole(kSmallSweep));
  EXPECT_EQ(query(sandbox, "pragma integrity_check"), Arguments{"ok"});
}

// Orphans of what a test starts become its children, which it can see.
class SweepWorkers : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
  // The first worker that is seen.
  static pid_t worker_of(const Program& program) {
    std::vector<pid_t> workers;
    EXPECT_TRUE(comes_true([&] {
      workers = children_of(program.id());
      return !workers.empty();
    }));
    return workers.empty() ? -1 : workers.front();
  }
  static bool no_orphan_stays() {
    return comes_true([] {
      while (waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      return children_of(getpid()).empty();
    });
  }
};

TEST_F(SweepWorkers, EndWithTheSweep) {
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const Sandbox sandbox;
    sandbox.write("s.toml", kLongSweep);
    Program program(words("sweep s.toml -j 1"), sandbox.path());
    (void)worker_of(program);
    kill(program.id(), signal);
    const Outcome outcome = program.wait();
    if (signal == SIGKILL) {
      EXPECT_EQ(outcome.signal, signal);
    } else {
      EXPECT_EQ(outcome.code, 128 + signal);
      EXPECT_NE(outcome.out.find("repeat the command to go on"), std::string::npos) << outcome.out;
      EXPECT_EQ(sandbox.names(), (Arguments{"s.sqlite", "s.toml"}));
    }
    EXPECT_TRUE(no_orphan_stays());
  }
}

// Short points, and one that is still there when a test has seen it, however slow the machine.
constexpr std::string_view kUnevenSweep = R"([run]
topology = "sdp4bit_a100"
model = "gpt_125m"
nodes = 1
whole = true
[grid]
accumulation = [1, 2, 1000]
)";

TEST_F(SweepWorkers, ThatCrashCostOnePoint) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kUnevenSweep);
  Program program(words("sweep s.toml -j 3"), sandbox.path());
  std::vector<pid_t> workers;
  ASSERT_TRUE(comes_true([&] {
    workers = children_of(program.id());
    return workers.size() == 1 && recorded(sandbox).size() == 2;
  }));
  kill(workers.front(), SIGSEGV);
  EXPECT_EQ(program.wait().code, 1);
  EXPECT_EQ(query(sandbox, "select state, count(*) from points group by 1"),
            (Arguments{"crashed|1", "done|2"}));
  EXPECT_EQ(query(sandbox, "select message like 'signal 11 %' from points where state = 'crashed'"),
            Arguments{"1"});
  EXPECT_EQ(sweep_in(sandbox).code, 1) << "and are not run again";
  EXPECT_EQ(sweep_in(sandbox, "--retry").code, 0);
  EXPECT_EQ(exported(sandbox), whole(kUnevenSweep));
}

// As Slurm tells all processes of a job that is cancelled.
TEST_F(SweepWorkers, ThatAreToldToEndLeaveTheirPointOpen) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kLongSweep);
  Program program(words("sweep s.toml -j 1"), sandbox.path());
  kill(worker_of(program), SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("1 open"), std::string::npos) << outcome.out;
  EXPECT_EQ(sweep_in(sandbox).code, 0);
  EXPECT_EQ(exported(sandbox), whole(kLongSweep));
}

TEST_F(SweepWorkers, OfASecondSweepDoNotWriteIntoTheSameStore) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kLongSweep);
  Program first(words("sweep s.toml -j 1"), sandbox.path());
  const pid_t worker = worker_of(first);
  kill(worker, SIGSTOP);
  const Outcome second = sweep_in(sandbox);
  expect_refused(second, "s.sqlite");
  EXPECT_NE(second.err.find("another sweep (process " + std::to_string(first.id())),
            std::string::npos)
      << second.err;
  EXPECT_EQ(exported(sandbox), "") << "it can be read meanwhile";
  kill(first.id(), SIGINT);
  EXPECT_EQ(first.wait().code, 128 + SIGINT);
}

TEST_F(SweepWorkers, WhoseFilesChangeMeanwhileRunAgain) {
  const Sandbox sandbox;
  const std::string cluster = text_of(source_directory() / "topologies/sdp4bit_a100.toml");
  sandbox.write("mine.toml", cluster);
  sandbox.write("s.toml",
                "[run]\ntopology = \"./mine.toml\"\nmodel = \"gpt_125m\"\naccumulation = 400\n"
                "whole = true\n[grid]\nnodes = [1, 2]\n");
  Program program(words("sweep s.toml -j 1"), sandbox.path());
  const pid_t worker = worker_of(program);
  kill(worker, SIGSTOP);
  sandbox.write("mine.toml", cluster + "\n# changed\n");
  kill(worker, SIGCONT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("mine.toml changed while"), std::string::npos) << outcome.out;
  expect_refused(sweep_in(sandbox), "s.sqlite");
  const Outcome again = sweep_in(sandbox, "--recompute");
  EXPECT_EQ(again.code, 0);
  EXPECT_EQ(again.out.find("changed while"), std::string::npos) << again.out;
}

TEST(SweepEnds, AFullDiskLosesNothing) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kSmallSweep);
  Program program(words("sweep s.toml -j 2"), sandbox.path());
  // Enough for the tables and some points.
  const rlimit limit{160'000, 160'000};
  ASSERT_EQ(prlimit(program.id(), RLIMIT_FSIZE, &limit, nullptr), 0);
  const Outcome outcome = program.wait();
  expect_refused(outcome, "s.sqlite");
  EXPECT_NE(outcome.err.find("recorded points are kept"), std::string::npos) << outcome.err;
  const auto before = recorded(sandbox);
  EXPECT_LT(before.size(), 8u);
  EXPECT_GT(before.size(), 0u) << "the limit is too low to say anything";
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  EXPECT_TRUE(std::ranges::includes(recorded(sandbox), before));
  EXPECT_EQ(exported(sandbox), whole(kSmallSweep));
}

// The lock's name is known to others, who may put a link there.
TEST(SweepEnds, ALinkInTheLocksPlaceIsNotFollowed) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kTinySweep);
  sandbox.write("victim", "kept");
  std::filesystem::create_symlink("victim", sandbox.path() / "s.sqlite.lock");
  expect_refused(sweep_in(sandbox), "s.sqlite");
  EXPECT_EQ(text_of(sandbox.path() / "victim"), "kept");
  std::filesystem::rename(sandbox.path() / "victim", sandbox.path() / "s.sqlite.lock");
  expect_refused(sweep_in(sandbox), "s.sqlite.lock");
  EXPECT_EQ(text_of(sandbox.path() / "s.sqlite.lock"), "kept");
}

TEST(SweepEnds, AStoreThatCannotBeWrittenIsLeftAsItWas) {
  const Sandbox sandbox;
  sandbox.write("s.toml", kSmallSweep);
  expect_refused(sweep_in(sandbox, "--store /proc/s.sqlite"), "/proc/s.sqlite");
  ASSERT_EQ(sweep_in(sandbox).code, 0);
  const std::string before = exported(sandbox);
  std::filesystem::permissions(sandbox.path() / "s.sqlite", std::filesystem::perms::owner_read);
  Outcome outcome;
  std::thread([&] {
    // Root may write what is read-only, but not without this capability. It is a thread's own, and
    // the programs' that it starts; nobody else has it to lose.
    prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE);
    outcome = sweep_in(sandbox);
  }).join();
  expect_refused(outcome, "s.sqlite");
  EXPECT_EQ(exported(sandbox), before);
}

}  // namespace
}  // namespace apps_tests
