// SPDX-License-Identifier: Apache-2.0
#include "sim/times/compiled.hpp"

namespace sim {
namespace {

// Fitted to an H100's kernels (traces/compiled/README.md): launch latencies of a kernel's start and end;
// cycles from one instruction of a warp to its next, and to what follows a lookup, which waits for the L1
// cache; share of their peak rates that instructions reach at the data sheet's clock.
constexpr double kLaunches = 1.42, kInstruction = 3.7, kLookup = 40, kReached = 0.72;

}  // namespace

const CompiledKernel* CompiledKernels::find(const std::string& key) const {
  const auto found = kernels->find(key);
  return found == kernels->end() ? nullptr : &found->second;
}

GpuRates rates_of(const CompiledKernels& table, const Gpu& gpu) {
  const double multiprocessors = gpu.multiprocessors;
  return {.multiprocessors = multiprocessors,
          // A multiply-add is two operations.
          .clock_hz = gpu.fp32.base() / (2 * table.lanes * multiprocessors),
          .copies = gpu.memory_bandwidth * gpu.memory_efficiency,
          .launch = gpu.launch_latency};
}

CompiledTime compiled_time(const CompiledKernel& kernel, const GpuRates& gpu, double elements,
                           double bytes) {
  // Each further kernel begins a launch latency after the one before.
  const double launches = kLaunches + kernel.kernels - 1;
  const double cycles = kInstruction * kernel.instructions + kLookup * kernel.lookups;
  return {
      .fixed_s = launches * gpu.launch.base() + cycles / gpu.clock_hz,
      .memory_s = bytes / gpu.copies.base(),
      .instructions_s = elements * kernel.cycles / (kReached * gpu.clock_hz * gpu.multiprocessors)};
}

double seconds_of_instructions(const Gpu& gpu, double instructions) {
  const double lanes = gpu.fp32.base() / 2;  // a multiply-add is two operations
  return lanes > 0 ? instructions / (kReached * lanes) : 0;
}

}  // namespace sim
