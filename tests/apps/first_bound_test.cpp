// SPDX-License-Identifier: Apache-2.0
// The closed forms of a step's lower bound that no simulation comes close enough to check.
#include "sim/study/search/first_bound.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/apps/jobs.hpp"

namespace sim::study {
namespace {

double update_seconds(const std::string& flags) {
  const Job job = apps_tests::job_of("--topology sdp4bit_h800 --nodes 2 --model gpt_1.3b " + flags);
  return FirstBounds().of(job, job.setups.front()).update_s;
}

// Bytes of the norm, of clipping and of AdamW on FP32 weights and two moments, for each parameter; and
// of the BF16 weights that ZeRO-3 casts when it gathers.
TEST(FirstBound, UpdatesWithThePassesOverAShard) {
  const double usual_s = update_seconds("--zero 1");
  EXPECT_NEAR(update_seconds("--zero 1 --gradient-precision bf16") / usual_s, 38 / 46.0, 2e-3);
  for (const char* precision : {"fp32", "bf16"}) {
    const std::string flags = std::string("--zero 3 --gradient-precision ") + precision;
    EXPECT_NEAR(update_seconds(flags) / usual_s, 40 / 46.0, 2e-3) << precision;
  }
}

}  // namespace
}  // namespace sim::study
