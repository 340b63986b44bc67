// SPDX-License-Identifier: Apache-2.0
#include "sim/base/once.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>

#include "sim/base/parallel.hpp"

namespace sim {
namespace {

TEST(Once, ComputesEachValueForTheFirstThatAsks) {
  Once<std::size_t, std::size_t> squares;
  std::atomic<int> computed = 0;
  EXPECT_EQ(squares.find(3), nullptr);
  const auto found = in_parallel(4, 100, [&](std::size_t i) {
    const std::size_t key = i % 10;
    return squares.of(key, [&] {
      ++computed;
      return key * key;
    });
  });
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], (i % 10) * (i % 10));
  EXPECT_EQ(computed, 10);
  EXPECT_EQ(squares.size(), 10U);
  EXPECT_EQ(*squares.find(3), 9U);
}

TEST(Once, ComputesAgainWhatFailed) {
  Once<int, int> values;
  EXPECT_THROW(values.of(1, []() -> int { throw std::runtime_error("once"); }), std::runtime_error);
  EXPECT_EQ(values.find(1), nullptr);
  EXPECT_EQ(values.of(1, [] { return 2; }), 2);
}

}  // namespace
}  // namespace sim
