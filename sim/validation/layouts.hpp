// SPDX-License-Identifier: Apache-2.0
// Published layouts of one job each (traces/published/layouts.csv): how much slower than the best the one is that
// is predicted to be the fastest, how well the predicted order agrees with the measured one, and which are
// refused for want of memory.
#pragma once

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace sim::validation {

inline constexpr const char* kLayoutsTopology = "dgx_a100_x16";
inline constexpr const char* kLayoutsModel = "llama_2_13b";

struct LayoutRow {
  std::string id;
  std::string group;  // job and kernels, of which layouts are compared
  std::string flags;  // of `run`
  int gpus = 0;
  bool ran = false;                 // else it ran out of memory
  double tokens_per_s_per_gpu = 0;  // measured, if it ran
};
// From the folder that contains traces/published. Throws InputError.
[[nodiscard]] std::vector<LayoutRow> read_layouts(const std::filesystem::path& folder);

struct LayoutPrediction {
  double memory_share = 0;  // of the GPU's memory that it needs
  // If it ran: simulated, and by sim/validation/serial.hpp.
  double tokens_per_s_per_gpu = 0, serial = 0;
};

struct LayoutOrder {
  double regret = 0;       // of the fastest of those that are predicted to fit
  double correlation = 0;  // of ranks, Spearman's; 0 of fewer than 4
};
struct LayoutGroup {
  int rows = 0;
  LayoutOrder simulated, serial;
};
struct LayoutScores {
  std::map<std::string, LayoutGroup> groups;
  LayoutOrder simulated, serial;  // means over groups
  int ran = 0, ran_refused = 0;
  int out_of_memory = 0, out_refused = 0;
};
// What needs more than 1 - `headroom` of the memory is refused.
[[nodiscard]] LayoutScores score_layouts(std::span<const LayoutRow> rows,
                                         std::span<const LayoutPrediction> predictions,
                                         double headroom);

// Of ranks, equal values sharing theirs; both of the same size.
[[nodiscard]] double rank_correlation(std::span<const double> a, std::span<const double> b);

}  // namespace sim::validation
