// SPDX-License-Identifier: Apache-2.0
// Table 4 of Streaming DiLoCo (arXiv 2501.18512), simulated by its authors, from our own schedules:
// one model reproduces another, so this is no validation against a measurement.
#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace sim::validation {

inline constexpr std::array kUtilisations{0.50, 0.80, 0.90, 0.95, 0.99};
// The table's bandwidths: 50 values from 0.1 to 1000 Gb/s, evenly spaced in the logarithm.
inline constexpr int kGridPoints = 50;
[[nodiscard]] double grid_bandwidth_Gbps(int point);

// One line of the table.
struct BandwidthRow {
  std::string model, method;
  double parameters = 0;
  int fragments = 1;
  double step_s = 0;
  std::array<int, kUtilisations.size()> published{};  // points of the grid
  std::array<int, kUtilisations.size()> simulated{};  // kGridPoints: not on the grid
};

[[nodiscard]] std::vector<BandwidthRow> read_bandwidth_table(const std::filesystem::path& file);

// Share of the time that two replicas spend computing, over a link of this bandwidth. `payload`
// scales the bytes: 1 is 16 bits per parameter.
[[nodiscard]] double utilisation(const BandwidthRow& row, double bandwidth_Gbps,
                                 double payload = 1);

// The lowest bandwidth of the grid for each utilisation; `step` is called after each row.
[[nodiscard]] std::vector<BandwidthRow> reproduce(std::vector<BandwidthRow> rows, double payload,
                                                  int jobs, const std::function<void()>& step);

// Cells within `points` grid points of the published ones.
[[nodiscard]] int cells_within(const std::vector<BandwidthRow>& rows, int points);

}  // namespace sim::validation
