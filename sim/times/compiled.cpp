// SPDX-License-Identifier: Apache-2.0
#include "sim/times/compiled.hpp"

namespace sim {
namespace {

// Fitted to an H100's kernels (traces/compiled/README.md): launch latencies of a kernel's start and end;
// cycles from one instruction of a warp to its next, and to what follows a lookup, which waits for the L1
// cache; share of their peak rates that instructions reach at the data sheet's clock; cycles of an
// instruction of a warp for which the others of its block wait.
constexpr double kLaunches = 1.42, kInstruction = 3.7, kLookup = 40, kReached = 0.72, kAlone = 9.5;

double cycles_of_warp(const CompiledKernel& kernel) {
  return kInstruction * kernel.instructions + kLookup * kernel.lookups + kAlone * kernel.alone;
}

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
  CompiledTime time{
      .fixed_s = launches * gpu.launch.base() + cycles_of_warp(kernel) / gpu.clock_hz,
      .memory_s = bytes / gpu.copies.base(),
      .instructions_s = elements * kernel.cycles / (kReached * gpu.clock_hz * gpu.multiprocessors)};
  if (kernel.alone > 0) {
    time.instructions_s = std::max(time.instructions_s, seconds_of_blocks(kernel, gpu, elements));
  }
  return time;
}

double seconds_of_blocks(const CompiledKernel& kernel, const GpuRates& gpu, double elements) {
  if (kernel.resident_blocks == 0) return 0;
  const double at_a_time = gpu.multiprocessors * kernel.resident_blocks;
  return elements / kernel.elements_per_block / at_a_time * cycles_of_warp(kernel) / gpu.clock_hz;
}

double seconds_of_instructions(const Gpu& gpu, double instructions) {
  const double lanes = gpu.fp32.base() / 2;  // a multiply-add is two operations
  return lanes > 0 ? instructions / (kReached * lanes) : 0;
}

}  // namespace sim
