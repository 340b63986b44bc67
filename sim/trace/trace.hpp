// SPDX-License-Identifier: Apache-2.0
// Trace: the GPU's side of what PyTorch's profiler (Kineto) recorded, as Chrome trace events in
// JSON, gzip or not: kernels, copies and fills by stream, who launched them when, and the steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/trace/kernel_class.hpp"

namespace sim::trace {

inline constexpr std::size_t kMostTraceBytes = std::size_t{2} << 30;  // unpacked

// Times are in seconds since the first event that counts.
struct Kernel {
  std::uint32_t name = 0;  // index into Trace::names
  std::int32_t gpu = 0;    // index into Trace::gpus
  std::int32_t step = -1;  // index into Trace::steps: that of its launch, else of its start
  std::int64_t stream = 0;
  double start_s = 0, duration_s = 0;
  double launched_s = std::numeric_limits<double>::quiet_NaN();  // where the launch is recorded
  [[nodiscard]] double end_s() const { return start_s + duration_s; }
};

// An annotation "ProfilerStep#7".
struct Step {
  std::string name;
  double start_s = 0, end_s = 0;  // on the host
};

struct KernelName {
  std::string text;
  KernelClass value = KernelClass::unexplained;
};

struct Trace {
  std::string file;                // its name in messages, on one line
  std::string device;              // name of the first GPU; empty if the file does not say
  std::optional<int> rank, ranks;  // of the job, if the file says so
  std::vector<std::int64_t> gpus;  // numbers of those with kernels, as in the file, ascending
  std::vector<KernelName> names;
  std::vector<Step> steps;      // by start
  std::vector<Kernel> kernels;  // by GPU, then start
  std::size_t overlapping = 0;  // kernels that start before the end of another of their stream

  [[nodiscard]] KernelClass class_of(const Kernel& kernel) const {
    return names[kernel.name].value;
  }
};

// Throws an InputError "FILE: /traceEvents/17: what" if the file is not JSON of this form, has a
// time that is negative, missing or not a number, or has no kernel.
[[nodiscard]] Trace read_trace(const std::filesystem::path& file);
// Of text in memory, which is not packed.
[[nodiscard]] Trace parse_trace(std::string_view text, const std::filesystem::path& file);

}  // namespace sim::trace
