// SPDX-License-Identifier: Apache-2.0
// Steps and rounds of real processes on one machine (docs/testbed.md), predicted before they were
// measured: how far off are times, speed-ups and break-even rates?
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/base/csv.hpp"

namespace sim::validation {

// Frozen before the measurement, predicted by this program, and by plain arithmetic.
enum TestbedColumn : std::size_t { kFrozen, kNow, kNull };
inline constexpr std::array kTestbedColumns{"frozen", "now", "null"};
using TestbedValues = std::array<double, kTestbedColumns.size()>;

struct TestbedCell {
  std::string name, grid, kind, flags;
  std::string place;                // of the flags, for messages: "file:line:1: flags"
  std::optional<std::size_t> twin;  // the cell of the same job without compression
  bool matters = false;             // codecs or overlap do: a noticeable share of the step
  // Seconds of a step or a round, of `now` 0 until they are predicted; of a break-even, the frozen
  // rate in bit/s, infinite if there is none.
  TestbedValues predicted{};
  // Seconds by repetition; of a break-even, the rates at both ends of each bisection in turn, likewise.
  std::vector<double> measured;

  [[nodiscard]] bool is_break_even() const { return kind == "break_even"; }
  [[nodiscard]] bool is_measured() const { return measured.size() >= (is_break_even() ? 2 : 1); }
  // The median of seconds, or of the geometric middles of bisections.
  [[nodiscard]] double middle() const;
};

// From the folder that contains traces. Throws InputError.
[[nodiscard]] std::vector<TestbedCell> read_testbed(const std::filesystem::path& folder);
[[nodiscard]] std::vector<TestbedCell> testbed_cells(std::span<const CsvRow> predictions,
                                                     std::span<const CsvRow> measurements);

struct TestbedSpeedUp {
  double measured = 1;
  TestbedValues predicted{};
  bool has_sign = false;  // every pairing of repetitions is on the same side of 1
};
// Over the uncompressed twin; none if there is no twin or one of the two is not measured.
[[nodiscard]] std::optional<TestbedSpeedUp> speed_up(const std::vector<TestbedCell>& cells,
                                                     const TestbedCell& cell);

struct TestbedScores {
  struct Errors {
    double mean = 0, worst = 0;
    int right = 0;  // signs
  };
  int cells = 0, signs = 0;
  std::array<Errors, kTestbedColumns.size()> errors{};
};
struct TestbedStudyScores {
  std::map<std::string, TestbedScores> times, speed_ups;  // by "grid, kind"
  TestbedScores where_it_matters;                         // of speed-ups
};
// Of the measured cells.
[[nodiscard]] TestbedStudyScores testbed_scores(const std::vector<TestbedCell>& cells);

}  // namespace sim::validation
