// SPDX-License-Identifier: Apache-2.0
// The data set of published training throughputs: `run` accepts every row, and values of tables that
// `validate` reruns are theirs.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sim/base/csv.hpp"
#include "tests/apps/answers.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

std::vector<sim::CsvRow> training_rows() {
  return sim::read_csv(source_directory() / "traces/published/training.csv");
}

std::vector<std::string> command_of(const sim::CsvRow& row) {
  std::vector<std::string> arguments{"run", "--topology", row.text("topology"), "--model",
                                     row.text("model")};
  for (const std::string& word : words(row.text("flags"))) arguments.push_back(word);
  for (const char* word : {"--range", "off", "--break-even=off", "--format", "json"}) {
    arguments.emplace_back(word);
  }
  return arguments;
}

// One of each group; tests/scripts/blind_test.py simulates all of them.
TEST(TrainingRows, AreRunAsTheyAreWritten) {
  std::set<std::string> groups;
  for (const sim::CsvRow& row : training_rows()) {
    if (!groups.insert(row.text("group")).second) continue;
    const std::string& id = row.text("id");
    const Outcome outcome = run(command_of(row), source_directory());
    ASSERT_EQ(outcome.code, 0) << id << ": " << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out).at("gpus"), row.integer("gpus")) << id;
  }
  EXPECT_GE(groups.size(), 13u);
}

TEST(TrainingRows, HaveEveryValueOfTheirColumns) {
  std::set<std::string> ids;
  for (const sim::CsvRow& row : training_rows()) {
    const std::string& id = row.text("id");
    EXPECT_TRUE(ids.insert(id).second) << id << " is there twice";
    EXPECT_TRUE(id.ends_with(fmt::format("/{}", row.integer("gpus")))) << id;
    EXPECT_TRUE(id.starts_with(row.text("group") + "/")) << id;
    EXPECT_GT(row.number("tokens_per_s_per_gpu"), 0) << id;
    EXPECT_FALSE(row.text("source").empty()) << id;
    EXPECT_TRUE(row.text("counts") == "0" || row.text("counts") == "1") << id;
    EXPECT_TRUE(row.text("certainty") == "A" || !row.text("note").empty()) << id;
  }
  EXPECT_GE(ids.size(), 174u);
}

TEST(TrainingRows, HaveTheValuesOfTheTablesThatValidateReruns) {
  std::map<std::string, double> values;
  for (const sim::CsvRow& row : training_rows()) {
    values[row.text("id")] = row.number("tokens_per_s_per_gpu");
  }
  const std::filesystem::path published = source_directory() / "traces/published";
  for (const sim::CsvRow& row : sim::read_csv(published / "fsdp_a100.csv")) {
    const std::string id = fmt::format("mpt_a100_40/{}/{}", row.text("model"), row.text("gpus"));
    EXPECT_EQ(values.at(id), row.number("tokens_per_s_per_gpu")) << id;
  }
  for (const sim::CsvRow& row : sim::read_csv(published / "fsdp_h100_torchtitan.csv")) {
    const std::string id =
        fmt::format("titan_fsdp/8b_{}/{}", row.text("variant"), row.text("gpus"));
    EXPECT_EQ(values.at(id), row.number("tokens_per_s_per_gpu")) << id;
  }
  // 72 L h^2 (1 + s/6h + V/12Lh) FLOP a token of 13B: L 40, h 5120, s 2048, V 50304.
  const double flop = 72.0 * 40 * 5120 * 5120 * (1 + 2048 / 30720.0 + 50304 / 2457600.0);
  EXPECT_NEAR(values.at("sdp4bit_a100/gpt_13b/64"), 9.7e12 / flop, 1e-4);
  // 96 L h^2 (1 + s/6h + V/16Lh), recomputation included: L 40, h 6144, s 512, V 50304.
  const double recomputed = 96.0 * 40 * 6144 * 6144 * (1 + 512 / 36864.0 + 50304 / 3932160.0);
  EXPECT_NEAR(values.at("zeropp/8nic_2048/384"), 47e12 / recomputed, 1e-4);
}

}  // namespace
}  // namespace apps_tests
