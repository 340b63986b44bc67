// SPDX-License-Identifier: Apache-2.0
// The data set of published training throughputs, traces/published/training.csv: its README says
// what the columns are.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace sim::validation {

struct TrainingRow {
  std::string id;     // "mpt_a100_40/mpt_7b/8"
  std::string fold;   // the source; what is learnt from one of its rows is not used for the others
  std::string stack;  // software: "megatron"
  std::string gpu;    // generation: "ampere"
  std::string precision;        // of the linear layers' products: "bf16", "fp8"
  std::string topology, model;  // shipped names
  std::string flags;            // of `run`, as in a shell
  int gpus = 0;
  std::optional<double> tokens_per_s_per_gpu;  // none: not looked at yet
  bool counts = true;                          // else shown, not scored

  [[nodiscard]] bool is_scored() const { return counts && tokens_per_s_per_gpu; }
};

// From the folder that contains traces/published. Throws InputError.
[[nodiscard]] std::vector<TrainingRow> read_training(const std::filesystem::path& folder);
// From a file of the same form.
[[nodiscard]] std::vector<TrainingRow> read_training_file(const std::filesystem::path& file);

// Whether no scored row of another fold has the row's GPU generation, or none has its stack: then
// nothing can be known of it from others.
[[nodiscard]] bool is_apart(const TrainingRow& row, const std::vector<TrainingRow>& all);

}  // namespace sim::validation
