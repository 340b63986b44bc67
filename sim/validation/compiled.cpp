// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/compiled.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/csv.hpp"
#include "sim/base/number_text.hpp"
#include "sim/times/compiled.hpp"

namespace sim::validation {
namespace {

// Of kernels whose warps meet barriers. The share that they reach of the data path of shared memory, which is
// 128 bytes wide (CUDA C++ Best Practices Guide, "Shared Memory"), fitted to an H100's rows of the role "fit";
// and the time of an instruction of a warp that waits for others, fitted to the A100's.
constexpr double kDataPath = 0.9, kWaitingInstruction_s = 3e-9;

double count(const CsvRow& row, const std::string& column) {
  const auto value = number_in<double>(row.text(column));
  if (!value || *value < 0) row.fail(column + ": '" + row.text(column) + "' is no count");
  return *value;
}

KernelCounts counts_in(const CsvRow& row) {
  KernelCounts counts{.kernels = row.integer("kernels"),
                      .registers = count(row, "registers"),
                      .shared_bytes = count(row, "shared_bytes"),
                      .threads = count(row, "threads"),
                      .elements_per_block = count(row, "elements_per_block")};
  for (std::size_t i = 0; i < kPipes.size(); ++i) counts.pipes[i] = count(row, kPipes[i]);
  return counts;
}

RateRole role_of(const CsvRow& row) {
  const std::string role = row.text("role");
  if (role == "counted") return RateRole::counted;
  if (role == "fit") return RateRole::fitted;
  if (role == "measured") return RateRole::measured;
  row.fail("role: '" + role + "' is not counted, fit or measured");
}

// The form of codecs' kernels, which have many warps and no barriers amid their work. Barriers add two bounds:
// the data path of shared memory, and blocks whose loads, arithmetic and stores come in turn. Their stores
// drain while other blocks work, and the arithmetic of as many blocks as a multiprocessor holds overlaps.
double predicted(const CompiledKernel& kernel, const GpuRates& gpu, const CsvRow& row) {
  const double elements = row.number("elements");
  CompiledTime time = compiled_time(kernel, gpu, elements, row.number("moved_bytes"));
  time.instructions_s = std::max(time.instructions_s, seconds_of_blocks(kernel, gpu, elements));
  if (count(row, "barriers") == 0) return time.seconds();
  const double cycles_s = gpu.clock_hz * gpu.multiprocessors;
  const double exchanges_s = elements * count(row, "wavefronts") / 32 / (kDataPath * cycles_s);
  const double blocks = elements / kernel.elements_per_block / gpu.multiprocessors;
  const double chains_s =
      blocks / kernel.resident_blocks * kernel.instructions * kWaitingInstruction_s;
  time.instructions_s = std::max({time.instructions_s, exchanges_s, time.memory_s / 2 + chains_s});
  return time.seconds();
}

}  // namespace

std::vector<KernelRate> compare_kernel_rates(const std::filesystem::path& folder) {
  std::vector<KernelRate> rates;
  for (const CsvRow& row : read_csv(folder / "traces/published/kernel_rates.csv")) {
    const Gpu gpu = read_cluster(folder / "topologies" / (row.text("cluster") + ".toml")).gpu;
    const auto table = read_compiled_kernels(folder / "traces/compiled", gpu.name);
    const auto kernel = compiled_kernel(counts_in(row), gpu.name);
    if (!table || !kernel) row.fail("cluster: no counts for " + gpu.name);
    const GpuRates of_gpu = rates_of(*table, gpu);
    const double copy_s = row.number("moved_bytes") / of_gpu.copies.base();
    const auto of_copy = row.known("of_copy");
    rates.push_back({.kernel = row.text("kernel"),
                     .gpu = gpu.name,
                     .role = role_of(row),
                     .published_s = of_copy ? *of_copy * copy_s : row.number("seconds"),
                     .predicted_s = predicted(*kernel, of_gpu, row),
                     .copy_s = copy_s,
                     .pipe = kernel->pipe});
  }
  return rates;
}

}  // namespace sim::validation
