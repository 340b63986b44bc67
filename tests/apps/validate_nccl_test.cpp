// SPDX-License-Identifier: Apache-2.0
// validate nccl: its rows are what `collective` prints, and its errors are those of its rows.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/apps/answers.hpp"
#include "tests/shipped_files.hpp"

namespace apps_tests {
namespace {

using nlohmann::json;

json row_of(const json& answer, const std::string& log, const std::string& collective) {
  for (const json& row : answer["rows"]) {
    if (row["log"] == log && row["collective"] == collective && row["size_bytes"] == 8 << 20) {
      return row;
    }
  }
  ADD_FAILURE() << log << " has no " << collective << " of 8 MiB";
  return {};
}

void expect_simulated_like(const json& row, const std::string& machine) {
  const json one = json_of("collective " + row["collective"].get<std::string>() + " --topology " +
                           machine + " --begin 8MiB --end 8MiB");
  EXPECT_DOUBLE_EQ(row["simulated_s"], one.at(0)["time_s"]) << row;
}

void expect_mean_of_its_rows(const json& answer) {
  double sum = 0;
  int count = 0;
  for (const json& row : answer["rows"]) {
    if (row["role"] != "counted" || row["size_bytes"] < 64 << 20) continue;
    sum += std::abs(row["simulated_s"].get<double>() / row["published_s"].get<double>() - 1);
    ++count;
  }
  const json& errors = answer["errors"]["from_64_MiB"]["counted"]["simulated"];
  EXPECT_EQ(errors["count"], count);
  EXPECT_NEAR(errors["mean"], sum / count, 1e-12);
}

// One test, so that the rows are simulated once.
TEST(ValidateNccl, SimulatesWhatCollectiveDoesAndCountsTheRowsThatGaveNoConstant) {
  const json answer = json_of("validate nccl");
  for (const char* name : {"all_gather", "reduce_scatter", "all_reduce", "all_to_all"}) {
    expect_simulated_like(row_of(answer, "h100_4_nccl2.29.2", name),
                          "dgx_h100_x16 --nodes 1 --gpus-per-node 4");
  }
  expect_simulated_like(row_of(answer, "gcp_a3_mega_2x8", "all_gather"), "gcp_a3_mega --nodes 2");
  expect_mean_of_its_rows(answer);
}

TEST(ValidateNccl, ComparesPredictionsThatWereMadeBefore) {
  const std::string file =
      "# A comment.\nlog,collective,size_bytes,simulated_s\n"
      "h100_8_nccl2.27.3,all_gather,536870912,0.0014\n"
      "h100_8_nccl2.27.3,all_gather,268435456,0.0007\n"
      "h100_8_nccl2.27.3,all_gather,7,0.0007\n";
  const Sandbox sandbox;
  sandbox.write("earlier.csv", file);
  const Outcome outcome = run({"validate", "nccl", "--compare",
                               (sandbox.path() / "earlier.csv").string(), "--format", "json"},
                              source_directory());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("1 of its predictions have no published row"), std::string::npos);
  const json answer = json::parse(outcome.out);
  ASSERT_EQ(answer["rows"].size(), 2u);
  EXPECT_EQ(answer["errors"]["from_64_MiB"]["counted"]["simulated"]["count"], 2);
  EXPECT_EQ(answer["rows"][0]["simulated_s"], 0.0007);
  EXPECT_GT(answer["rows"][0]["alpha_beta_s"], 0);
}

TEST(ValidateNccl, NamesThePredictionThatItCannotRead) {
  const Sandbox sandbox;
  const std::string heading = "log,collective,size_bytes,simulated_s\n";
  const std::pair<const char*, const char*> cases[] = {
      {"h101,all_gather,8,1\n", "nccl_logs.csv"},
      {"h100_8_nccl2.27.3,all_gathr,8,1\n", "all_gathr"},
      {"h100_8_nccl2.27.3,all_gather,8,-1\n", "simulated_s"},
      {"h100_8_nccl2.27.3,all_gather,8,1\nh100_8_nccl2.27.3,all_gather,8,1\n", "twice"},
      {"h100_8_nccl2.27.3,all_gather,7,1\n", "none of its 1 predictions"}};
  for (const auto& [rows, says] : cases) {
    sandbox.write("earlier.csv", heading + rows);
    const Outcome outcome =
        run({"validate", "nccl", "--compare", (sandbox.path() / "earlier.csv").string()},
            source_directory());
    EXPECT_EQ(outcome.code, 2) << rows;
    EXPECT_NE(outcome.err.find("earlier.csv"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
}

TEST(ValidateNccl, ListsEachRow) {
  const Outcome outcome =
      run(words("validate nccl --each --compare traces/predictions/nccl_pcie_2026-11-25.csv"),
          source_directory());
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  std::size_t rows = 0;
  for (const std::string& line : lines_of(outcome.out)) {
    rows += line.starts_with("pcie_2x8_nccl2.30.3") ? 1 : 0;
    EXPECT_LE(line.size(), 100u);
  }
  EXPECT_GE(rows, 17u);
  EXPECT_NE(outcome.out.find("rows of counted logs"), std::string::npos);
}

}  // namespace
}  // namespace apps_tests
