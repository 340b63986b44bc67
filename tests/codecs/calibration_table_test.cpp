// SPDX-License-Identifier: Apache-2.0
// Every calibration table under traces/calibration agrees with the codecs: a table that was
// measured for another wire layout, or whose times no memory could deliver, fails.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "codecs/codec.hpp"

namespace codecs {
namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, Json> calibration_tables() {
  std::map<std::string, Json> tables;
  for (const char* folder : {"traces/calibration", "traces/host_codecs"}) {
    const std::filesystem::path path = std::filesystem::path(SOURCE_DIR) / folder;
    for (const auto& entry : std::filesystem::directory_iterator(path)) {
      if (entry.path().extension() != ".json") continue;
      std::ifstream file(entry.path());
      Json table = Json::parse(file);
      if (table.contains("kind")) tables.emplace(entry.path().filename(), std::move(table));
    }
  }
  return tables;
}

const std::map<std::string, Operation> kOperations{
    {"encode", Operation::encode},
    {"encode_difference", Operation::encode_difference},
    {"encode_feedback", Operation::encode_feedback},
    {"decode", Operation::decode},
    {"decode_add", Operation::decode_add},
    {"decode_reduce", Operation::decode_reduce},
    {"decode_reduce_encode", Operation::decode_reduce_encode}};

TEST(CalibrationTables, AreThere) {
  for (const char* name :
       {"a100_sdp4bit_published.json", "nvidia_h100_80gb_hbm3.json", "nvidia_h200.json"}) {
    EXPECT_TRUE(calibration_tables().contains(name)) << name;
  }
}

TEST(CalibrationTables, SayWhereTheyComeFrom) {
  for (const auto& [name, table] : calibration_tables()) {
    const std::string kind = table.at("kind");
    EXPECT_TRUE(kind == "published" || kind == "measured") << name;
    const Json& provenance = table.at("provenance");
    EXPECT_NE(provenance.at("source"), "") << name;
    EXPECT_NE(provenance.at("date"), "") << name;
    if (kind == "published") continue;
    for (const char* key : {"device", "architecture", "commit", "command"}) {
      EXPECT_NE(provenance.at(key), "") << name << " " << key;
    }
    EXPECT_TRUE(table.at("copy_bandwidth_Bps").is_number()) << name;
    if (table.contains("cpu")) continue;
    EXPECT_NE(provenance.at("driver"), "") << name;
    EXPECT_NE(provenance.at("cuda"), "") << name;
    EXPECT_TRUE(table.at("launch_latency_s").is_number()) << name;
  }
}

TEST(CalibrationTables, AgreeWithTheCodecsSizes) {
  for (const auto& [name, table] : calibration_tables()) {
    for (const Json& row : table.at("codecs")) {
      const Codec& codec = codec_named(row.at("codec").get<std::string>());
      const Operation operation = kOperations.at(row.at("operation"));
      const bool requantises = operation == Operation::decode_reduce_encode;
      EXPECT_EQ(!row.at("to").get<std::string>().empty(), requantises) << name << row;
      KernelShape shape{.operation = operation, .wire = codec.format, .inputs = row.at("inputs")};
      if (requantises) shape.wire_out = codec_named(row.at("to").get<std::string>()).format;
      // Weights are bfloat16, all else is float32, where the row does not say.
      const bool of_weights =
          operation == Operation::decode_add || operation == Operation::encode_difference;
      shape.value_bytes = row.value("value_bytes", of_weights ? 2 : 4);
      const Traffic traffic = memory_traffic(shape);
      for (std::size_t i = 0; i < row.at("elements").size(); ++i) {
        const std::size_t elements = row.at("elements").at(i);
        EXPECT_EQ(row.at("encoded_bytes").at(i), encoded_bytes(codec.format, elements))
            << name << row;
        EXPECT_NEAR(row.at("moved_bytes").at(i).get<double>(),
                    (traffic.read + traffic.written) * static_cast<double>(elements), 64)
            << name << row;
      }
    }
  }
}

// No GPU or CPU of these tables moves 10 TB/s; a wrong unit would.
TEST(CalibrationTables, HoldPossibleTimes) {
  for (const auto& [name, table] : calibration_tables()) {
    for (const Json& row : table.at("codecs")) {
      for (std::size_t i = 0; i < row.at("elements").size(); ++i) {
        const double seconds = row.at("median_s").at(i);
        ASSERT_GT(seconds, 1e-6) << name << row;
        EXPECT_LT(seconds, 10) << name << row;
        EXPECT_TRUE(!row.contains("spread_s") || row.at("spread_s").at(i) >= 0) << name << row;
        if (row.at("elements").at(i) < 1 << 28) continue;  // within a cache
        EXPECT_LT(row.at("moved_bytes").at(i).get<double>() / seconds, 10e12) << name << row;
      }
    }
  }
}

}  // namespace
}  // namespace codecs
