// SPDX-License-Identifier: Apache-2.0
// What a fit says of the constants that its logs could not tell apart.
#include "sim/fit/carry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "sim/fit/constants.hpp"

namespace fit_tests {
namespace {

using sim::fit::Kept;

// Whether a line of the carry names a kept launch time.
bool names_launch(Kept because) {
  constexpr const char* kKey = "collectives.launch";
  const auto constant =
      std::ranges::find(sim::fit::all_constants(), kKey, &sim::fit::Constant::key);
  const sim::fit::Log log{.name = "one.log", .nodes = 1, .gpus_per_node = 8};
  const sim::fit::Fit fit{.cluster = {}, .fitted = {}, .kept = {{&*constant, 1e-6, because}}};
  const sim::fit::Carry carry = carry_of({}, fit, {&log, 1});
  return std::ranges::any_of(
      carry.lines, [&](const std::string& line) { return line.find(kKey) != std::string::npos; });
}

TEST(Carry, NamesTheLatenciesThatRestOnTheBase) {
  EXPECT_TRUE(names_launch(Kept::not_alone));
  EXPECT_FALSE(names_launch(Kept::agrees));
  EXPECT_FALSE(names_launch(Kept::unused));
}

}  // namespace
}  // namespace fit_tests
