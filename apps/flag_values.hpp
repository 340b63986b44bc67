// SPDX-License-Identifier: Apache-2.0
// The names that flags take beside files, for FlagTraits::values.
#pragma once

#include <string>
#include <vector>

namespace apps {

[[nodiscard]] std::vector<std::string> topology_names();
[[nodiscard]] std::vector<std::string> cluster_names();
[[nodiscard]] std::vector<std::string> model_names();
[[nodiscard]] std::vector<std::string> reliability_names();
[[nodiscard]] std::vector<std::string> calibration_names();
[[nodiscard]] std::vector<std::string> host_codec_names();
[[nodiscard]] std::vector<std::string> scheme_names();
[[nodiscard]] std::vector<std::string> inner_scheme_names();
[[nodiscard]] std::vector<std::string> baseline_names();
[[nodiscard]] std::vector<std::string> algorithm_names();
[[nodiscard]] std::vector<std::string> protocol_names();
[[nodiscard]] std::vector<std::string> nccl_names();
// Keys of clusters and models: "network.nic_bandwidth=".
[[nodiscard]] std::vector<std::string> setting_starts();

// The names of a registry's rows, which are pointers or the rows themselves.
template <class Rows>
[[nodiscard]] std::vector<std::string> row_names(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if constexpr (requires { row.name; }) {
      names.emplace_back(row.name);
    } else {
      names.emplace_back(row->name);
    }
  }
  return names;
}

}  // namespace apps
