// SPDX-License-Identifier: Apache-2.0
// Times of kernels that gardenhose-calibrate measured on GPUs, beside what the simulator takes for a
// GPU without a table: bytes over the bandwidth of a cluster file, published products; and another
// GPU's table, scaled by the bandwidths of their copies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/times/calibration.hpp"
#include "sim/topology/cluster.hpp"

namespace sim::validation {

// Mean |predicted / measured - 1|, the geometric mean of predicted over measured, and how many of the
// rows are within a quarter.
struct KernelErrors {
  double mean_error = 0, bias = 1;
  int within_quarter = 0, rows = 0;
};

// Kernels of one kind and size on one GPU: "encode", "large".
struct KernelGroup {
  std::string gpu, kind, size;
  std::string from;  // "data sheet", "published", or the name of another GPU's table
  KernelErrors errors;
};

// A shipped table of a GPU that a shipped cluster has, and that cluster's GPU as its file says.
struct MeasuredTable {
  Calibration table;
  Gpu gpu;
};
// From the folder that contains topologies and traces.
[[nodiscard]] std::vector<MeasuredTable> read_measured_tables(const std::filesystem::path& folder);

// Every kind and size of every table, by each predictor that it has. Large kernels move 32 MB and more,
// so that a launch is under a tenth of their time.
[[nodiscard]] std::vector<KernelGroup> compare_kernels(const std::vector<MeasuredTable>& tables,
                                                       const std::filesystem::path& folder);

}  // namespace sim::validation
