// SPDX-License-Identifier: Apache-2.0
// Times of kernels that gardenhose-calibrate measured on GPUs, beside what the simulator takes for a
// GPU without a table: bytes over the bandwidth of a cluster file, what the machine code does, published
// products; and another GPU's table, carried over by a law of bytes and SMs or by machine code.
#pragma once

#include <filesystem>
#include <memory>
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
  // "data sheet", "published", "compiled", "compiled, fitted" of the rows that its constants were fitted
  // to; or the name of another GPU's table, with ", compiled" if machine code carried it over.
  std::string from;
  KernelErrors errors;
};

// A shipped table of a GPU that a shipped cluster has, and that cluster's GPU as its file says.
struct MeasuredTable {
  Calibration table;
  Gpu gpu;
  std::shared_ptr<const CompiledKernels> compiled = {};
};
// From the folder that contains topologies and traces.
[[nodiscard]] std::vector<MeasuredTable> read_measured_tables(const std::filesystem::path& folder);

// Every kind and size of every table, by each predictor that it has. Large kernels move 32 MB and more,
// so that a launch is under a tenth of their time.
[[nodiscard]] std::vector<KernelGroup> compare_kernels(const std::vector<MeasuredTable>& tables,
                                                       const std::filesystem::path& folder);

}  // namespace sim::validation
