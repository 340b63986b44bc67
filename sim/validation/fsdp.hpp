// Two published runs of FSDP on 8 to 128 GPUs beside their predictions: MosaicML's MPT models on
// A100 (github.com/mosaicml/llm-foundry, scripts/train/benchmarking/README.md) and torchtitan's
// Llama 3 8B on H100 (github.com/pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md).
//
// One constant is fitted a group of rows, the compute efficiency: the highest that one of the
// group's rows of one node gives, since whatever else slows a row is not its kernels'. What several
// nodes change is predicted.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/validation/study.hpp"

namespace sim::validation {

struct FsdpRow {
  Measurement measured;  // "fsdp_a100/mpt_7b/128", in tokens per second and GPU
  std::string series;    // "mpt_7b", "llama_3_8b/eager": one job on more and more GPUs
  std::string group;     // of rows that share a constant
  int gpus = 0;
  double published_memory_bytes = 0;  // at the peak; 0: not published
  std::string left_out;               // why it does not count in the errors; empty: it does
  bool used_in_fit = false;
  bool used_in_default = false;  // the default of the compute efficiency rests on its source
  // Tokens per second and GPU. The null model is one number a group and GPU: the utilisation of its
  // rows of one node (of several the highest), on any number of GPUs. null_refit is unused.
  Columns predicted;
  double tokens_at_peak = 0;  // per second and GPU at an MFU of 1, as the publication counts FLOP
  double memory_bytes = 0;    // predicted, of a GPU
  bool fits_memory = true;

  [[nodiscard]] double mfu(double tokens_per_s) const { return tokens_per_s / tokens_at_peak; }
};

// Both tables as published, without predictions, from the folder that holds traces/published.
// Throws InputError where a row is of no known kind.
[[nodiscard]] std::vector<FsdpRow> read_fsdp(const std::filesystem::path& folder);

struct FsdpStudy {
  std::vector<FsdpRow> rows;
  std::map<std::string, Fitted> constants;  // by group
};
// Fits the constants of all groups and predicts `rows` from the inputs in `folder`. One tick a row.
[[nodiscard]] FsdpStudy predict_fsdp(const std::filesystem::path& folder, std::vector<FsdpRow> rows,
                                     const Tick& tick);

// Over the rows of `table`, or of both where it is empty, that no constant was fitted on and that
// are not left out; of by_default also without those that the default rests on.
[[nodiscard]] Errors fsdp_errors(const std::vector<FsdpRow>& rows, std::string_view table,
                                 Column column);

// What 128 GPUs change over 8, in percentage points: of the throughput where a GPU's batch is the
// same on both, else of the MFU.
struct ScaleChange {
  std::string series;
  bool of_throughput = false;
  double published = 0;
  Columns predicted;
};
// Of every series that was published on 8 and on 128 GPUs.
[[nodiscard]] std::vector<ScaleChange> scale_changes(const std::vector<FsdpRow>& rows);

}  // namespace sim::validation
