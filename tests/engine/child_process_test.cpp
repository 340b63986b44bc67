// SPDX-License-Identifier: Apache-2.0
// The child process behind simulate(): for its caller it is a pure function, whatever happens
// there.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>

#include "sim/collectives/collectives.hpp"
#include "sim/engine/simulate.hpp"
#include "tests/input_errors.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {
namespace {

const Cluster& two_nodes() {
  static const Cluster cluster = sample_cluster({.nodes = 2, .gpus = 8, .nics = 8});
  return cluster;
}

// Kernels of random length between all_gathers of random size, on two groups that share links.
Schedule irregular_schedule(int rounds) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> seconds(1e-5, 1e-3);
  std::uniform_real_distribution<double> bytes(1e3, 1e8);
  ScheduleBuilder builder(16);
  std::vector<Communicator> groups;
  for (const std::vector<int>& ranks : {std::vector{0, 1, 8, 9}, std::vector{0, 2, 8, 10}}) {
    groups.push_back(make_communicator(two_nodes(), builder, ranks));
  }
  for (int round = 0; round < rounds; ++round) {
    for (const Communicator& group : groups) {
      std::vector<OperationId> ready;
      for (const int rank : group.ranks) {
        ready.push_back(
            builder.work(rank, Stream::compute, Phase::forward, "", seconds(random), 0.5));
      }
      all_gather(builder, group, bytes(random),
                 {.stream = Stream::weights, .label = "all_gather", .after = ready});
    }
  }
  return std::move(builder).finish();
}

// Dies in the next child that this process forks.
bool die_in_child = false;
void maybe_die() {
  if (die_in_child) std::raise(SIGKILL);
}

// The next child that this process forks sleeps for ever.
bool sleep_in_child = false;
void maybe_sleep() {
  while (sleep_in_child) pause();
}
void wake_later_children() { sleep_in_child = false; }

template <class Failing>
std::string logic_error_of(Failing failing) {
  try {
    failing();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "no std::logic_error";
}

bool has_child() { return waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

TEST(ChildProcess, TwoRunsAgreeToTheLastBit) {
  const Schedule schedule = irregular_schedule(200);
  const Timeline one = simulate(schedule, two_nodes());
  const Timeline two = simulate(schedule, two_nodes());
  ASSERT_EQ(one.end_s.size(), schedule.operations.size());
  const std::size_t bytes = one.end_s.size() * sizeof(double);
  EXPECT_EQ(std::memcmp(one.start_s.data(), two.start_s.data(), bytes), 0);
  EXPECT_EQ(std::memcmp(one.end_s.data(), two.end_s.data(), bytes), 0);
}

TEST(ChildProcess, LeavesNoZombie) {
  const Timeline timeline = simulate(irregular_schedule(1), two_nodes());
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  EXPECT_FALSE(has_child());
}

TEST(ChildProcess, DoesNotPrintWhatTheParentHasBuffered) {
  testing::internal::CaptureStdout();
  std::printf("said once");  // no newline: it is still in the buffer when the process forks
  static_cast<void>(simulate(irregular_schedule(1), two_nodes()));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "said once");
}

TEST(ChildProcess, PrintsNothing) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  static_cast<void>(simulate(irregular_schedule(1), two_nodes(), {.time_limit = 1_us}));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(ChildProcess, LongerThanTheWallLimitIsTooLargeAnInput) {
  const Schedule schedule = irregular_schedule(5'000);
  const std::string text = input_error_of(
      [&] { static_cast<void>(simulate(schedule, two_nodes(), {.wall_limit = 1_ms})); });
  EXPECT_TRUE(text.starts_with("the simulation: took more than 0.001 s of real time; ")) << text;
  EXPECT_FALSE(has_child());
}

TEST(ChildProcess, EndedByASignalIsALogicError) {
  static const int registered = pthread_atfork(nullptr, nullptr, maybe_die);
  ASSERT_EQ(registered, 0);
  die_in_child = true;
  const std::string text =
      logic_error_of([&] { static_cast<void>(simulate(irregular_schedule(1), two_nodes())); });
  die_in_child = false;
  EXPECT_EQ(text, "the simulation was ended by signal 9: ");
  EXPECT_FALSE(has_child());
}

// As does one that waits for a lock which another thread held as it was forked.
TEST(ChildProcess, ThatNeverWakesIsReplaced) {
  static const int registered = pthread_atfork(nullptr, wake_later_children, maybe_sleep);
  ASSERT_EQ(registered, 0);
  sleep_in_child = true;
  const Timeline timeline = simulate(irregular_schedule(1), two_nodes());
  EXPECT_FALSE(sleep_in_child);
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  EXPECT_FALSE(has_child());
}

TEST(ChildProcess, HandsItsLastLineOver) {
  const Conditions conditions{.outages = {{"no_such_link", 1_s, 2_s}}};
  const std::string text = logic_error_of(
      [&] { static_cast<void>(simulate(irregular_schedule(1), two_nodes(), conditions)); });
  EXPECT_NE(text.find("an outage names a link of the wiring"), std::string::npos) << text;
  EXPECT_FALSE(has_child());
}

TEST(ChildProcess, TheNextRunStartsAfresh) {
  static_cast<void>(simulate(irregular_schedule(3), two_nodes(), {.time_limit = 1_us}));
  const Timeline timeline = simulate(irregular_schedule(1), two_nodes());
  EXPECT_EQ(timeline.outcome, Outcome::complete);
  EXPECT_EQ(timeline.start_s.front(), 0);
}

}  // namespace
}  // namespace sim
