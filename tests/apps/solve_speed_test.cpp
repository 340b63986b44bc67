// SPDX-License-Identifier: Apache-2.0
// `solve` for a speed or a price: its range is where the ranges of `run` reach the goal.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/answers.hpp"

namespace apps_tests {
namespace {

TEST(SolveForASpeed, EndsWhereTheRangesOfRunReachIt) {
  // Half of the step is exposed communication, so that both groups of constants matter.
  const std::string job =
      " --topology dgx_h100_x16 --nodes 2 --model llama_3_8b --attention fused --recompute full ";
  constexpr double kTokensPerDay = 5e9;
  const auto run_at = [&](const nlohmann::json& gbps, const char* end) {
    const nlohmann::json report = json_of(
        "run" + job + "--set network.nic_bandwidth=" + std::to_string(gbps.get<double>()) + "Gbps");
    return report[end].get<double>() * 86400 / kTokensPerDay;
  };
  const nlohmann::json found = json_of("solve bandwidth" + job + "--tokens-per-day 5e9")[0];
  EXPECT_NEAR(run_at(found["met_at"], "tokens_per_s"), 1, 0.01);
  EXPECT_NEAR(run_at(found["met_at_low"], "tokens_per_s_high"), 1, 0.04);
  EXPECT_NEAR(run_at(found["met_at_high"], "tokens_per_s_low"), 1, 0.1);  // far: half the network
}

}  // namespace
}  // namespace apps_tests
