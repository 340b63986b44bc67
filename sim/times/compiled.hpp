// SPDX-License-Identifier: Apache-2.0
// CompiledKernels: times of kernels from what their machine code does for each element, for GPUs that
// nobody measured. The counts are tables (traces/compiled/README.md, which also says how the constants
// were fitted); rates of instructions are NVIDIA's, by architecture.
//
// A kernel takes a launch and the time of one warp's instructions, one after another; then the longer of
// its bytes over the bandwidth of a copy, and its instructions over what the busiest pipe, or issuing,
// takes of them. Where the warps of a block wait for one of them, blocks also take their turns.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "sim/base/shared.hpp"
#include "sim/base/units.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

// Instructions for each element, by the pipe that executes them; traces/compiled/README.md has them all.
inline constexpr std::array kPipes{"fma", "multiply", "alu",  "convert", "xu",
                                   "lsu", "lookup",   "fp64", "uniform", "control"};

// A row of those tables.
struct KernelCounts {
  int kernels = 1;
  std::array<double, kPipes.size()> pipes = {};
  // Of the largest kernel; 0 if there are only copies.
  double registers = 0, shared_bytes = 0, threads = 0, elements_per_block = 0;
  // Instructions of the busiest warp of one of its blocks; 0: no warp does more than others.
  double busiest_warp = 0;
};

// One row of a calibration table: all kernels that it launches.
struct CompiledKernel {
  int kernels = 1;
  // Cycles of a multiprocessor for an element, by the rates of its architecture.
  double cycles = 0;
  std::string pipe = {};  // that is busiest: "alu"; "issue"
  // Of a warp, over all kernels, one after another.
  double instructions = 0, lookups = 0;
  // Of the busiest warp of a block, so many more, for which the others wait.
  double alone = 0;
  // Blocks of the largest kernel that a multiprocessor holds, and their warps; 0: only copies.
  int resident_blocks = 0, resident_warps = 0;
  double elements_per_block = 0;
  bool operator==(const CompiledKernel&) const = default;
};

// Of one architecture.
struct CompiledKernels {
  std::string architecture;  // "sm_90"
  double lanes = 0;          // FP32 results of a multiprocessor in a cycle
  double clock_hz = 0;       // of its GPUs for data centres, by their data sheets
  // By "codec/operation/inputs/to", as Calibration::kernels, and those of its methods.
  Shared<std::map<std::string, CompiledKernel>> kernels = {};
  [[nodiscard]] const CompiledKernel* find(const std::string& key) const;
};

// What the constants leave, as a standard deviation of the logarithm of a time: on an H200, for which
// nothing was fitted.
inline constexpr double kCompiledSpread = 0.1;
// The same from one architecture to another, where no measurement was compared: a judgement.
inline constexpr double kOtherCodeSpread = 0.25;

// The table in the folder for the architecture of the GPU of this name; null if there is none. Throws an
// InputError with every problem, located.
[[nodiscard]] std::shared_ptr<const CompiledKernels> read_compiled_kernels(
    const std::filesystem::path& folder, const std::string& gpu);

// The same of the kernels whose times the measured tables have: folder/measured where there is such a table,
// since kernels change after they were measured.
[[nodiscard]] std::shared_ptr<const CompiledKernels> read_measured_kernels(
    const std::filesystem::path& folder, const std::string& gpu);

// What counts mean for a GPU of this name. Nothing if its architecture is unknown.
[[nodiscard]] std::optional<CompiledKernel> compiled_kernel(const KernelCounts& counts,
                                                            const std::string& gpu);

// What a kernel's time depends on.
struct GpuRates {
  double multiprocessors = 0, clock_hz = 0;
  Bandwidth copies = {};  // read and written together
  Seconds launch = {};
};
// The clock is the one by which the GPU reaches its FP32 peak.
[[nodiscard]] GpuRates rates_of(const CompiledKernels& table, const Gpu& gpu);

// Of a kernel that moves so many bytes. `fixed`: what it takes however few elements there are.
struct CompiledTime {
  double fixed_s = 0, memory_s = 0, instructions_s = 0;
  [[nodiscard]] double works_s() const { return std::max(memory_s, instructions_s); }
  [[nodiscard]] double seconds() const { return fixed_s + works_s(); }
};
[[nodiscard]] CompiledTime compiled_time(const CompiledKernel& kernel, const GpuRates& gpu,
                                         double elements, double bytes);

// Of the largest kernel's blocks, as many at a time as fit, each of which takes its warps' instructions one
// after another.
[[nodiscard]] double seconds_of_blocks(const CompiledKernel& kernel, const GpuRates& gpu,
                                       double elements);

// Of so many instructions of lanes, issued at what kernels reach of the FP32 lanes' rate; 0 where that is
// unknown.
[[nodiscard]] double seconds_of_instructions(const Gpu& gpu, double instructions);

}  // namespace sim
