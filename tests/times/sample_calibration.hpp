// SPDX-License-Identifier: Apache-2.0
// Calibration tables as the tests write them.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/times/calibration.hpp"
#include "sim/times/calibration_rows.hpp"
#include "tests/schedule/sample_cluster.hpp"

namespace sim {

using Json = nlohmann::json;

// The sample GPU has 2 TB/s; that of the tables 1 TB/s.
inline constexpr Bandwidth kTableBandwidth = 1000_GBps;
inline Gpu sample_gpu() { return sample_cluster({}).gpu; }
inline Gpu tables_gpu() {
  Gpu gpu = sample_gpu();
  gpu.name = "measured GPU";
  gpu.memory_bandwidth = kTableBandwidth;
  return gpu;
}

inline codecs::Format format_of(const std::string& codec) {
  return codecs::codec_named(codec).format;
}

inline double moved_bytes(const codecs::KernelShape& shape, double elements) {
  const codecs::Traffic traffic = codecs::memory_traffic(shape);
  return (traffic.read + traffic.written) * elements;
}

// The value of a row's only size.
template <typename Value>
Json one(Value value) {
  return Json::array({value});
}

// A row of one size that moves its bytes at `share` of the table's bandwidth.
inline Json row(const std::string& codec, const std::string& operation, double elements,
                double share, int inputs = 1, const std::string& to = "") {
  codecs::KernelShape shape{
      .operation = codecs::operation_named(operation).value_or(codecs::Operation::encode),
      .wire = format_of(codec),
      .inputs = inputs};
  if (!to.empty()) shape.wire_out = format_of(to);
  const double moved = moved_bytes(shape, elements);
  return {{"codec", codec},
          {"to", to},
          {"operation", operation},
          {"inputs", inputs},
          {"elements", one(elements)},
          {"encoded_bytes", one(codecs::encoded_bytes(codecs::codec_named(codec).format,
                                                      static_cast<std::size_t>(elements)))},
          {"moved_bytes", one(moved)},
          {"median_s", one(moved / (share * kTableBandwidth.base()))}};
}

inline Json table_of(const std::vector<Json>& rows) {
  return {{"gpu", "measured GPU"},
          {"kind", "measured"},
          {"provenance", {{"source", "a test"}}},
          {"memory_bandwidth_Bps", kTableBandwidth.base()},
          {"gemm", Json::array()},
          {"codecs", rows}};
}

// Read as it is from a file "sample.json".
inline Calibration read(const Json& table) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(testing::TempDir()) / ("tables_" + std::to_string(getpid()));
  fs::create_directories(folder);
  std::ofstream(folder / "sample.json") << table;
  try {
    Calibration calibration = read_calibration(folder / "sample.json");
    fs::remove_all(folder);
    return calibration;
  } catch (...) {
    fs::remove_all(folder);
    throw;
  }
}

inline KernelUse use(const char* codec, codecs::Operation operation, double elements) {
  return {.shape = {.operation = operation, .wire = codecs::codec_named(codec).format},
          .elements = elements};
}

}  // namespace sim
