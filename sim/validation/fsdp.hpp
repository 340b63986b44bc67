// SPDX-License-Identifier: Apache-2.0
// Two published runs of FSDP on 8 to 128 GPUs beside their predictions: MosaicML's MPT models on
// A100 (github.com/mosaicml/llm-foundry, scripts/train/benchmarking/README.md) and torchtitan's
// Llama 3 8B on H100 (github.com/pytorch/torchtitan, benchmarks/llama3_h100_202412_torchtitan.md).
//
// Each group of rows has one fitted constant, the compute efficiency: the highest that any of the
// group's single-node rows gives, since other slowdowns of a row do not come from its kernels. The
// effect of several nodes is predicted.
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
  std::string group;     // rows that share a constant
  int gpus = 0;
  double published_memory_bytes = 0;  // at the peak; 0: not published
  std::string left_out;               // why it is excluded from the errors; empty: it counts
  bool used_in_fit = false;
  bool used_in_default = false;  // the default compute efficiency rests on its source
  // Tokens per second and GPU. The null model has one number per group and GPU: the utilisation of
  // its single-node rows (the highest, if there are several), on any number of GPUs. null_refit is
  // unused.
  Columns predicted;
  double tokens_at_peak = 0;  // per second and GPU at an MFU of 1, by the publication's FLOP count
  double memory_bytes = 0;    // predicted, per GPU
  bool fits_memory = true;

  [[nodiscard]] double mfu(double tokens_per_s) const { return tokens_per_s / tokens_at_peak; }
};

// Both tables as published, without predictions, from the folder that contains traces/published.
// Throws InputError for a row of an unknown kind.
[[nodiscard]] std::vector<FsdpRow> read_fsdp(const std::filesystem::path& folder);

struct FsdpStudy {
  std::vector<FsdpRow> rows;
  std::map<std::string, Fitted> constants;  // by group
};
// Fits the constants of all groups and predicts `rows` from the inputs in `folder`. One tick per
// row.
[[nodiscard]] FsdpStudy predict_fsdp(const std::filesystem::path& folder, std::vector<FsdpRow> rows,
                                     int jobs, const Tick& tick);

// Over the rows of `table`, or of both tables if it is empty, that are not excluded and that no
// constant was fitted on; by_default also leaves out the rows that the default rests on.
[[nodiscard]] Errors fsdp_errors(const std::vector<FsdpRow>& rows, std::string_view table,
                                 Column column);

// The change from 8 to 128 GPUs, in percentage points: of the throughput if a GPU's batch is the
// same on both, else of the MFU.
struct ScaleChange {
  std::string series;
  bool of_throughput = false;
  double published = 0;
  Columns predicted;
};
// For every series published on both 8 and 128 GPUs.
[[nodiscard]] std::vector<ScaleChange> scale_changes(const std::vector<FsdpRow>& rows);

}  // namespace sim::validation
