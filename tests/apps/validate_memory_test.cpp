// SPDX-License-Identifier: Apache-2.0
// validate memory: published peaks are predicted within 10 %, and its rows are what `run` prints.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/answers.hpp"

namespace apps_tests {
namespace {

using nlohmann::json;

TEST(ValidateMemory, IsWithinTenPercentOfEachPeak) {
  const json rows = json_of("validate memory");
  EXPECT_GT(rows.size(), 20U);
  for (const json& row : rows) {
    const double ratio =
        row["predicted_bytes"].get<double>() / row["published_bytes"].get<double>();
    EXPECT_NEAR(ratio, 1, 0.1) << row["row"];
  }
}

// torchtitan on 8 GPUs, compiled: what `run` counts, without the context and NCCL's buffers.
TEST(ValidateMemory, CountsWhatRunCounts) {
  const json report = json_of(
      "run --topology torchtitan_h100 --nodes 1 --model llama_3_8b --stack torch-compile "
      "--attention flash2 --zero 3 --micro-batch 2 --recompute alternate --kernels compiled "
      "--range off");
  const double total = report["memory_per_gpu_bytes"];
  const double workspace = report["memory_by_part_bytes"]["workspace"];
  const json rows = json_of("validate memory");
  const auto row = std::ranges::find_if(
      rows, [](const json& one) { return one["row"] == "titan_fsdp/8b_compile/8"; });
  ASSERT_NE(row, rows.end());
  EXPECT_EQ((*row)["counted"], "reserved");
  EXPECT_NEAR((*row)["predicted_bytes"].get<double>() / (total - workspace), 1, 1e-9);
}

}  // namespace
}  // namespace apps_tests
