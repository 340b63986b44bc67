// SPDX-License-Identifier: Apache-2.0
// The histories of stacks against the data set of published runs, whose column `attention` was written
// from the sources, row by row, before there were histories: a stack at its source's date runs that
// attention.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "sim/base/csv.hpp"
#include "sim/workload/parallelism_fields.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

// Of folds whose source says when it measured, or when it was published.
const std::map<std::string, std::string> kDates{
    {"llm-foundry", "2023-10-19"},  // the tables' last change before FlashAttention 2 (pull 543)
    {"torchtitan", "2025-06-16"},   // its newest table, of asynchronous tensor parallelism
    {"megatron-sc21", "2021-04"},   // arXiv 2104.04473
    {"sdp4bit", "2024-10"},         // arXiv 2410.15526
    {"zeropp", "2023-06"},          // arXiv 2306.10209
    {"gardenhose", "2026-11-26"}};

std::string generation(Attention attention) {
  switch (attention) {
    case Attention::unfused:
      return "unfused";
    case Attention::flash1:
      return "flash-1";
    case Attention::flash2:
      return "flash-2";
    default:
      return "cudnn";  // as `fused` and `sdpa` stand for on Hopper
  }
}

TEST(StackHistories, AgreeWithTheAttentionOfPublishedRuns) {
  std::set<std::string> folds;
  for (const CsvRow& row : read_csv(source_directory() / "traces/published/training.csv")) {
    const auto date = kDates.find(row.text("fold"));
    if (date == kDates.end()) continue;
    folds.insert(date->first);
    const Parallelism p = parallelism_of({{"stack", row.text("stack") + "@" + date->second}});
    EXPECT_EQ(generation(p.attention), row.text("attention")) << row.text("id");
  }
  EXPECT_EQ(folds.size(), kDates.size());
}

}  // namespace
}  // namespace sim
