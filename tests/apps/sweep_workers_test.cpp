// SPDX-License-Identifier: Apache-2.0
// Workers of a sweep take one task after the other; after one that fails, another worker goes on.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "sim/base/error.hpp"
#include "sim/study/sweep/processes.hpp"

namespace sim::sweep {
namespace {

Inputs report_of(std::size_t task) {
  std::fputs(std::to_string(task).c_str(), stderr);
  if (task == 2) raise(SIGSEGV);
  if (task == 4) throw std::logic_error(" is wrong");
  if (task == 5) throw InputError(" is refused");
  return {{"task", task}, {"worker", getpid()}};
}

TEST(WorkersOfASweep, TakeTaskAfterTaskUntilOneFails) {
  const Tasks tasks{.count = 9, .at_once = 1, .folder = "/", .run = report_of};
  const Signals signals;
  std::vector<Outcome> outcomes(tasks.count);
  std::size_t ended = 0;
  const int stopped_by = run_in_processes(tasks, signals, [&](std::vector<Ended> batch) {
    for (Ended& one : batch) outcomes.at(one.task) = std::move(one.outcome);
    ended += batch.size();
  });
  EXPECT_EQ(stopped_by, 0);
  EXPECT_EQ(ended, tasks.count);
  EXPECT_EQ(outcomes[2].message, "signal 11 (Segmentation fault); 2");
  EXPECT_EQ(outcomes[4].message, "exit code 70; 4 is wrong");
  EXPECT_EQ(outcomes[5].state, "refused");
  EXPECT_EQ(outcomes[5].message, "5 is refused");
  std::set<int> workers;
  for (const std::size_t task : {0U, 1U, 3U, 6U, 7U, 8U}) {
    EXPECT_EQ(outcomes[task].state, "done");
    EXPECT_EQ(outcomes[task].report.at("task"), task);
    EXPECT_EQ(outcomes[task].message, std::to_string(task)) << "what it said, and no other";
    workers.insert(outcomes[task].report.at("worker").get<int>());
  }
  EXPECT_EQ(workers.size(), 3U);
}

TEST(WorkersOfASweep, KeepAllCoresBusy) {
  const Tasks tasks{.count = 40, .at_once = 4, .folder = "/", .run = [](std::size_t task) {
                      if (task % 8 == 3) raise(SIGKILL);
                      std::this_thread::sleep_for(std::chrono::milliseconds(task % 3 * 2));
                      return Inputs{{"worker", getpid()}};
                    }};
  const Signals signals;
  std::set<std::size_t> done, crashed;
  const int stopped_by = run_in_processes(tasks, signals, [&](const std::vector<Ended>& batch) {
    for (const Ended& one : batch) {
      const bool new_one = (one.outcome.state == "done" ? done : crashed).insert(one.task).second;
      EXPECT_TRUE(new_one) << one.task << " ended twice";
    }
  });
  EXPECT_EQ(stopped_by, 0);
  EXPECT_EQ(crashed, (std::set<std::size_t>{3, 11, 19, 27, 35}));
  EXPECT_EQ(done.size(), 35U);
}

TEST(WorkersOfASweep, RefuseNoTaskForWhatTheSystemLacks) {
  const Tasks tasks{.count = 1, .folder = "/", .run = [](std::size_t) -> Inputs {
                      throw LacksResources("out of memory");
                    }};
  const Signals signals;
  std::string state;
  const auto note = [&](const std::vector<Ended>& batch) {
    for (const Ended& one : batch) state = one.outcome.state;
  };
  EXPECT_EQ(run_in_processes(tasks, signals, note), 0);
  EXPECT_EQ(state, "crashed") << "and can be run again";
}

// The first of them has room, and a second one would leave none.
TEST(WorkersOfASweep, AreAsManyAsTheSystemHasRoomFor) {
  const Tasks tasks{.count = 6, .at_once = 6, .folder = "/", .run = [](std::size_t) {
                      return Inputs{{"worker", getpid()}};
                    }};
  const Signals signals;
  const int free = dup(STDERR_FILENO);
  close(free);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{static_cast<rlim_t>(free) + 9, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  std::set<int> workers;
  std::size_t done = 0;
  const int stopped_by = run_in_processes(tasks, signals, [&](const std::vector<Ended>& batch) {
    for (const Ended& one : batch) {
      ASSERT_EQ(one.outcome.state, "done") << one.outcome.message;
      workers.insert(one.outcome.report.at("worker").get<int>());
      ++done;
    }
  });
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(stopped_by, 0);
  EXPECT_EQ(done, tasks.count);
  EXPECT_EQ(workers.size(), 1U);
}

}  // namespace
}  // namespace sim::sweep
