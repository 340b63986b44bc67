// SPDX-License-Identifier: Apache-2.0
// Published interruptions and goodputs of training runs beside their predictions, from the failure
// rates of other clusters (traces/published/goodput.csv). Nothing is fitted.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sim::validation {

enum class GoodputQuantity { interruptions, gpu_failures, mtbf_h, goodput };

struct GoodputRow {
  std::string row, source, rates, note;
  GoodputQuantity quantity = GoodputQuantity::interruptions;
  bool is_bound = false;            // more than `published`
  std::optional<double> published;  // none before it is compared
  bool counts = true;
  double predicted = 0, low = 0, high = 0;  // and the likely range, eight cases of ten
  // Plain arithmetic: Llama 3's interruptions per GPU and day, whatever the GPU; a goodput of 1 less
  // detection and restart, and less Young's sqrt(2 stall / MTBF).
  double arithmetic = 0;

  [[nodiscard]] bool in_range() const;  // of what was published
};

// With predictions, from the folder that contains traces.
[[nodiscard]] std::vector<GoodputRow> predict_goodputs(const std::filesystem::path& folder);

// Over rows that count and are published. Of counts and times the mean factor that they are off by;
// of goodputs the mean difference.
struct GoodputErrors {
  double factor = 1, points = 0;
  double arithmetic_factor = 1, arithmetic_points = 0;
  int factors = 0, goodputs = 0;    // how many rows each is of
  int bounds_kept = 0, bounds = 0;  // of goodputs published as bounds
  int arithmetic_bounds_kept = 0;
  int in_range = 0, ranged = 0;  // rows within the likely range, bounds left aside
};
[[nodiscard]] GoodputErrors errors_of(const std::vector<GoodputRow>& rows);

}  // namespace sim::validation
