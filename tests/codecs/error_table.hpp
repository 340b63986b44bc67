// SPDX-License-Identifier: Apache-2.0
// The committed table of errors, traces/calibration/codec_error.json.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace codecs {

inline const nlohmann::ordered_json& committed_errors() {
  static const nlohmann::ordered_json table = [] {
    std::ifstream file(std::string(SOURCE_DIR) + "/traces/calibration/codec_error.json");
    return nlohmann::ordered_json::parse(file);
  }();
  return table;
}

inline double relative_l2(const char* section, const std::string& row, const std::string& column) {
  return committed_errors().at(section).at(row).at(column).at("relative_l2");
}

// Of a reduction over 8 x 4 ranks.
inline double reduction_error(const std::string& row, const std::string& column) {
  const bool on_two_levels = row.starts_with("two_level");
  return committed_errors()
      .at("reductions")
      .at(row)
      .at(on_two_levels ? "8x4" : "32")
      .at(column)
      .at("relative_l2");
}

}  // namespace codecs
