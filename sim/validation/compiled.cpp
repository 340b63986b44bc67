// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/compiled.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/csv.hpp"
#include "sim/base/number_text.hpp"
#include "sim/times/compiled.hpp"

namespace sim::validation {
namespace {

// Where the warps of a block wait for one another, its loads, its arithmetic and its stores come in
// turn, and only other blocks fill the gaps: this share of the shorter part is left over, by the number of
// blocks on a multiprocessor. Fitted to the rows of the role "fit".
constexpr double kLeftOver = 0.55;

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

// The form of codecs' kernels, which have many warps and no barriers amid their work, and what few warps
// and barriers add to it.
double predicted(const CompiledKernel& kernel, const GpuRates& gpu, const CsvRow& row) {
  const double elements = row.number("elements");
  CompiledTime time = compiled_time(kernel, gpu, elements, row.number("moved_bytes"));
  time.instructions_s = std::max(time.instructions_s, seconds_of_blocks(kernel, gpu, elements));
  if (count(row, "barriers") == 0) return time.seconds();
  return time.seconds() +
         kLeftOver * std::min(time.memory_s, time.instructions_s) / kernel.resident_blocks;
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
                     .fitted = row.text("role") == "fit",
                     .published_s = of_copy ? *of_copy * copy_s : row.number("seconds"),
                     .predicted_s = predicted(*kernel, of_gpu, row),
                     .copy_s = copy_s,
                     .pipe = kernel->pipe});
  }
  return rates;
}

}  // namespace sim::validation
