// SPDX-License-Identifier: Apache-2.0
#include "sim/base/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <stdexcept>
#include <string>

namespace sim {
namespace {

constexpr int kJobs[] = {1, 2, 8};

TEST(InParallel, ReturnsResultsInOrder) {
  for (const int jobs : kJobs) {
    const auto squares = in_parallel(jobs, 100, [](std::size_t i) { return i * i; });
    ASSERT_EQ(squares.size(), 100u);
    for (std::size_t i = 0; i < squares.size(); ++i) EXPECT_EQ(squares[i], i * i);
  }
}

TEST(InParallel, DoesNothingForNothing) {
  EXPECT_TRUE(in_parallel(8, 0, [](std::size_t i) { return i; }).empty());
}

TEST(InParallel, MakesAsManyCallsAtOnceAsItMay) {
  std::latch all(4);
  for_each_in_parallel(4, 4, [&](std::size_t) { all.arrive_and_wait(); });
}

TEST(InParallel, ThrowsWhatTheFirstCallThatFailsThrows) {
  for (const int jobs : kJobs) {
    std::atomic<int> calls = 0;
    const auto fails = [&](std::size_t i) {
      ++calls;
      if (i >= 10) throw std::runtime_error(std::to_string(i));
    };
    try {
      for_each_in_parallel(jobs, 100, fails);
      FAIL() << "threw nothing";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "10");
    }
    EXPECT_LE(calls, 10 + jobs);
  }
}

}  // namespace
}  // namespace sim
