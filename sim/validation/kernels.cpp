// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "sim/base/pass.hpp"
#include "sim/times/calibration_rows.hpp"
#include "sim/times/compiled.hpp"
#include "sim/times/extrapolation.hpp"
#include "sim/times/published.hpp"
#include "sim/times/roofline.hpp"

namespace sim::validation {
namespace {

constexpr double kLarge_bytes = 32e6;

struct Sums {
  double errors = 0, logarithms = 0;
  int within = 0, rows = 0;
};

// Sums by kind, size and predictor, in the order of the words.
class Comparison {
 public:
  void add(const std::string& kind, double moved_bytes, const std::string& from, double predicted,
           double measured) {
    Sums& sums = sums_[{kind, moved_bytes >= kLarge_bytes ? "large" : "small", from}];
    const double error = std::abs(predicted / measured - 1);
    sums.errors += error;
    sums.logarithms += std::log(predicted / measured);
    sums.within += error <= 0.25 ? 1 : 0;
    ++sums.rows;
  }
  void give(const std::string& gpu, std::vector<KernelGroup>& groups) const {
    for (const auto& [key, sums] : sums_) {
      const auto& [kind, size, from] = key;
      groups.push_back({gpu,
                        kind,
                        size,
                        from,
                        {.mean_error = sums.errors / sums.rows,
                         .bias = std::exp(sums.logarithms / sums.rows),
                         .within_quarter = sums.within,
                         .rows = sums.rows}});
    }
  }

 private:
  std::map<std::tuple<std::string, std::string, std::string>, Sums> sums_;
};

double by_bytes(const Gpu& gpu, double bytes, int inputs = 1) {
  return seconds_of_bytes(gpu, gpu.memory_bandwidth * gpu.memory_efficiency, bytes, inputs);
}

// "encode" of "int8_g128/encode/1/", "one_bit_adam" of "one_bit_adam/encode/8/0".
std::string part_of(const std::string& key, int part) {
  std::size_t begin = 0;
  for (; part > 0; --part) begin = key.find('/', begin) + 1;
  return key.substr(begin, key.find('/', begin) - begin);
}

// Whether the constants of compiled times were fitted to this kernel (traces/compiled/README.md): not to
// those that had to be run, as encodes of signs, nor to steps of methods.
bool was_fitted(const std::string& gpu, const std::string& key) {
  constexpr const char* kFitted[] = {"bf16", "fbgemm", "fp32", "int2",
                                     "int8", "mxfp8",  "nf4",  "one"};
  const std::string codec = part_of(key, 0);
  if (codec == "one_bit_adam" || key.starts_with("one_bit/encode")) return false;
  return gpu == "NVIDIA H100 80GB HBM3" &&
         std::ranges::count(kFitted, codec.substr(0, codec.find('_'))) > 0;
}

// One size of a kernel by its machine code: with the data sheet, and from other GPUs' tables.
template <typename Add>
void add_compiled(const KernelTimes Calibration::*times, const std::string& key,
                  const KernelTime& size, const MeasuredTable& one,
                  const std::vector<MeasuredTable>& all, Add add) {
  const CompiledKernel* kernel = one.compiled ? one.compiled->find(key) : nullptr;
  if (kernel == nullptr) return;
  add(was_fitted(one.table.gpu, key) ? "compiled, fitted" : "compiled",
      compiled_time(*kernel, rates_of(*one.compiled, one.gpu), size.elements, size.moved_bytes)
          .seconds());
  for (const MeasuredTable& other : all) {
    const auto found = (other.table.*times)->find(key);
    if (other.table.gpu == one.table.gpu || found == (other.table.*times)->end()) continue;
    Calibration table = other.table;
    table.compiled = one.compiled;
    table.compiled_there = other.compiled;
    const auto seconds = carried_by_code(table, one.gpu, key, found->second, size.elements);
    if (seconds) add(table.name + ", compiled", *seconds);
  }
}

void add_times(const KernelTimes Calibration::*times, const MeasuredTable& one,
               const std::vector<MeasuredTable>& all, Comparison& comparison) {
  for (const auto& [key, sizes] : *(one.table.*times)) {
    const bool of_codec = times == &Calibration::kernels;
    const std::string kind = of_codec ? part_of(key, 1) : "steps of " + part_of(key, 0);
    const int inputs = of_codec ? std::stoi(part_of(key, 2)) : 1;
    for (const KernelTime& size : sizes) {
      const auto add = [&](const std::string& from, double seconds) {
        comparison.add(kind, size.moved_bytes, from, seconds, size.seconds);
      };
      add("data sheet", by_bytes(one.gpu, size.moved_bytes, inputs));
      for (const MeasuredTable& other : all) {
        const auto found = (other.table.*times)->find(key);
        if (other.table.gpu == one.table.gpu || found == (other.table.*times)->end()) continue;
        // Its copies as its cluster file has them: of a GPU without a table nothing else is known.
        add(other.table.name, carried_over(found->second, size.elements, scale(other.table),
                                           ratios_to(one.gpu, other.table)));
      }
      add_compiled(times, key, size, one, all, add);
    }
  }
}

void add_products(const MeasuredTable& one, const PublishedKernels& published,
                  Comparison& comparison) {
  for (const GemmTime& measured : *one.table.gemm) {
    const Operator product{.m = measured.m,
                           .n = measured.n,
                           .k = measured.k,
                           .precision = measured.precision,
                           .gradient = measured.gradient};
    const double bytes = bytes_of(measured.precision) * (measured.m + measured.n) * measured.k +
                         2 * measured.m * measured.n;
    const bool bf16 = measured.precision == MatrixPrecision::bf16;
    comparison.add(bf16 ? "products bf16" : "products fp8", bytes, "published",
                   product_seconds(published, one.gpu, product), measured.seconds);
  }
}

void add_passes(const MeasuredTable& one, Comparison& comparison) {
  const Roofline line(one.gpu, 1, roofline());
  for (const auto& [pass, sizes] : one.table.passes) {
    for (const PassTime& size : sizes) {
      comparison.add("optimizer passes", size.moved_bytes, "data sheet",
                     line.pass(size.moved_bytes), size.seconds);
    }
  }
}

std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            const char* extension) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

std::optional<Gpu> gpu_named(const std::string& name, const std::filesystem::path& topologies) {
  for (const auto& file : files_in(topologies, ".toml")) {
    const Gpu gpu = read_cluster(file).gpu;
    if (gpu.name == name) return gpu;
  }
  return std::nullopt;
}

}  // namespace

std::vector<MeasuredTable> read_measured_tables(const std::filesystem::path& folder) {
  std::vector<MeasuredTable> tables;
  for (const auto& file : files_in(folder / "traces" / "calibration", ".json")) {
    if (file.stem() == "codec_error") continue;
    Calibration table = read_calibration(file);
    if (table.kind != "measured") continue;
    const auto gpu = gpu_named(table.gpu, folder / "topologies");
    if (!gpu) continue;
    auto compiled = read_measured_kernels(folder / "traces" / "compiled", gpu->name);
    tables.push_back({std::move(table), *gpu, std::move(compiled)});
  }
  return tables;
}

std::vector<KernelGroup> compare_kernels(const std::vector<MeasuredTable>& tables,
                                         const std::filesystem::path& folder) {
  std::vector<KernelGroup> groups;
  for (const MeasuredTable& one : tables) {
    Comparison comparison;
    add_times(&Calibration::kernels, one, tables, comparison);
    add_times(&Calibration::methods, one, tables, comparison);
    add_products(one, *read_published_kernels(folder / "traces" / "kernels", one.gpu), comparison);
    add_passes(one, comparison);
    comparison.give(one.table.gpu, groups);
  }
  return groups;
}

}  // namespace sim::validation
