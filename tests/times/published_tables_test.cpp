// SPDX-License-Identifier: Apache-2.0
// The published tables agree with themselves and with the shipped files that they speak of.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string>

#include "sim/topology/cluster.hpp"
#include "sim/workload/model.hpp"
#include "tests/shipped_files.hpp"

namespace {

using namespace sim;
using Row = std::map<std::string, std::string>;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

std::vector<Row> rows_of(const std::string& name) {
  std::vector<std::string> columns;
  std::vector<Row> rows;
  for (const std::string& line :
       lines_of(text_of(source_directory() / "traces/published" / name))) {
    if (line.starts_with("#")) continue;
    const std::vector<std::string> fields = fields_of(line);
    if (columns.empty()) {
      columns = fields;
      continue;
    }
    EXPECT_EQ(fields.size(), columns.size()) << name << ": " << line;
    Row row;
    for (std::size_t i = 0; i < std::min(fields.size(), columns.size()); ++i) {
      row[columns[i]] = fields[i];
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(PublishedTables, NameTheirSource) {
  const auto files = shipped_files("traces/published", ".csv");
  EXPECT_GE(files.size(), 3u);
  for (const auto& file : files) {
    const std::string text = text_of(file);
    const std::string first = lines_of(text).front();
    const bool named =
        first.find("arXiv") != std::string::npos || first.find("github.com/") != std::string::npos;
    const bool each_row = text.find(",source,") != std::string::npos;  // in a column
    EXPECT_TRUE(first.starts_with("# ") && (named || each_row)) << file;
  }
}

TEST(Sdp4bitThroughput, HasTenRowsWhoseSpeedupIsTheRatio) {
  const std::vector<Row> rows = rows_of("sdp4bit_throughput.csv");
  EXPECT_EQ(rows.size(), 10u);
  for (const Row& row : rows) {
    const double ratio = std::stod(row.at("sdp4bit_tflops")) / std::stod(row.at("baseline_tflops"));
    // Both throughputs are printed with one digit after the point, the speed-up with two.
    const double rounding = ratio * (0.05 / std::stod(row.at("sdp4bit_tflops")) +
                                     0.05 / std::stod(row.at("baseline_tflops")));
    EXPECT_NEAR(std::stod(row.at("speedup")), ratio, rounding + 0.005)
        << row.at("cluster") << " " << row.at("model");
  }
}

TEST(Sdp4bitThroughput, SpeaksOfShippedModelsAndClusters) {
  for (const Row& row : rows_of("sdp4bit_throughput.csv")) {
    std::string name = row.at("model");
    std::ranges::replace(name, '-', '_');
    const Model model = read_model(source_directory() / "traces/models" / (name + ".toml"));
    EXPECT_EQ(model.layers, std::stoi(row.at("layers"))) << name;
    EXPECT_EQ(model.hidden, std::stoi(row.at("hidden"))) << name;
    EXPECT_EQ(model.heads, std::stoi(row.at("heads"))) << name;
    EXPECT_TRUE(std::filesystem::exists(source_directory() / "topologies" /
                                        ("sdp4bit_" + row.at("cluster") + ".toml")));
  }
}

TEST(Sdp4bitQuantizer, IsFasterWithLargerInputs) {
  double size = 0;
  double rate = 0;
  for (const Row& row : rows_of("sdp4bit_quantizer_speed.csv")) {
    EXPECT_GT(std::stod(row.at("size_mb")), size);
    EXPECT_GT(std::stod(row.at("quantize")), rate);
    size = std::stod(row.at("size_mb"));
    rate = std::stod(row.at("quantize"));
  }
  EXPECT_EQ(size, 2048);
}

TEST(Sdp4bitGradients, CompressedStrategiesBeatTheBaseline) {
  const std::vector<Row> rows = rows_of("sdp4bit_gradient_comm.csv");
  ASSERT_EQ(rows.size(), 5u);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(std::stod(rows[i].at("gradient_comm_ms")), std::stod(rows[0].at("gradient_comm_ms")));
    EXPECT_GT(std::stod(rows[i].at("tflops_per_gpu")), std::stod(rows[0].at("tflops_per_gpu")));
  }
}

TEST(FsdpA100, UtilisationIsThatOfTheThroughput) {
  const std::vector<Row> rows = rows_of("fsdp_a100.csv");
  EXPECT_EQ(rows.size(), 29u);
  const Cluster cluster = read_cluster(source_directory() / "topologies/mosaicml_a100.toml");
  for (const Row& row : rows) {
    const auto number = [&](const char* column) { return std::stod(row.at(column)); };
    const double flop_per_token =
        6 * number("parameters") + 12 * number("layers") * number("hidden") * 2048;
    const double percent_of_one = 100 * flop_per_token / cluster.gpu.bf16.base();
    // Tokens are printed whole, and cut rather than rounded; the percentage has two digits.
    EXPECT_NEAR(number("mfu_percent"), percent_of_one * number("tokens_per_s_per_gpu"),
                percent_of_one + 0.005)
        << row.at("model") << " on " << row.at("gpus");
    EXPECT_LE(number("gpus"), cluster.nodes * cluster.gpus_per_node);
  }
}

TEST(FsdpTorchtitan, CompilingAndFp8AreEachFaster) {
  const std::vector<Row> rows = rows_of("fsdp_h100_torchtitan.csv");
  ASSERT_EQ(rows.size(), 6u);
  const Cluster cluster = read_cluster(source_directory() / "topologies/torchtitan_h100.toml");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_LE(std::stoi(rows[i].at("gpus")), cluster.nodes * cluster.gpus_per_node);
    const auto gib = static_cast<std::int64_t>(std::stod(rows[i].at("peak_memory_gib")));
    EXPECT_LT(Bytes{gib << 30}, cluster.gpu.memory);
    if (i % 3 == 0) continue;
    EXPECT_EQ(rows[i].at("gpus"), rows[i - 1].at("gpus"));
    EXPECT_GT(std::stod(rows[i].at("tokens_per_s_per_gpu")),
              std::stod(rows[i - 1].at("tokens_per_s_per_gpu")));
  }
}

}  // namespace
