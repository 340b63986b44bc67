// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>

#include "codecs/codec.hpp"
#include "codecs/method.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/number_text.hpp"
#include "sim/times/calibration_rows.hpp"
#include "sim/times/compiled.hpp"

namespace sim {
namespace {

// Results of a multiprocessor in a cycle (NVIDIA, CUDA C++ Best Practices Guide 13, "Throughput of Native
// Arithmetic Instructions"), and what it holds (CUDA C++ Programming Guide, "Compute Capabilities").
struct Architecture {
  const char* name;
  std::array<const char*, 4> gpus;  // words from their names; null: no more
  double clock_hz;                  // boost, of the first of them
  double fp32, multiply, integer, special, shuffle, fp64;
  int warps, blocks, shared_kib;
};
constexpr std::array kArchitectures{
    Architecture{"sm_80", {"A100", "A800"}, 1.41e9, 64, 64, 64, 16, 32, 32, 64, 32, 164},
    Architecture{
        "sm_89", {"L40", "RTX 6000 Ada", "RTX 4090"}, 2.49e9, 128, 64, 64, 16, 32, 2, 48, 24, 100},
    Architecture{"sm_90", {"H100", "H200", "H800"}, 1.98e9, 128, 64, 64, 16, 32, 64, 64, 32, 228},
    Architecture{"sm_100", {"B200", "B300", "B100"}, 1.98e9, 128, 64, 64, 16, 32, 64, 64, 32, 228},
    Architecture{"sm_120", {"RTX PRO", "RTX 5090"}, 2.6e9, 128, 64, 64, 16, 32, 2, 48, 24, 100}};

constexpr double kIssued = 128;       // four warps, in each of the above
constexpr double kLookupLanes = 14;   // fitted (traces/compiled/README.md)
constexpr double kUniform = 64;       // a warp's instruction in two cycles of each quarter
constexpr double kRegisters = 65536;  // of a multiprocessor; handed out to warps by 256

const Architecture* architecture_of(const std::string& gpu) {
  for (const Architecture& one : kArchitectures) {
    for (const char* word : one.gpus) {
      if (word != nullptr && gpu.find(word) != std::string::npos) return &one;
    }
  }
  return nullptr;
}

double issued(const KernelCounts& counts) {
  double sum = 0;
  for (const double pipe : counts.pipes) sum += pipe;
  return sum;
}

// Cycles for an element, and the pipe that takes them.
std::pair<double, const char*> busiest(const Architecture& one, const KernelCounts& counts) {
  const auto& [fma, multiply, alu, convert, special, shared, lookup, fp64, uniform, control] =
      counts.pipes;
  (void)control;  // is only issued
  const std::pair<double, const char*> pipes[] = {
      {issued(counts) / kIssued, "issue"},
      {fma / one.fp32 + multiply / one.multiply, "fma"},
      {(alu + convert) / one.integer, "alu"},
      {special / one.special, "special functions"},
      {shared / one.shuffle + lookup / kLookupLanes, "loads and stores"},
      {fp64 / one.fp64, "fp64"},
      {uniform / kUniform, "uniform"}};
  return *std::ranges::max_element(pipes);
}

int resident_blocks(const Architecture& one, const KernelCounts& counts) {
  const double warps = std::ceil(counts.threads / 32);
  const double of_registers = kRegisters / (std::ceil(32 * counts.registers / 256) * 256 * warps);
  // A block takes a KiB of its own.
  const double of_shared = one.shared_kib / (counts.shared_bytes / 1024 + 1);
  return static_cast<int>(std::floor(
      std::min({of_registers, of_shared, one.warps / warps, static_cast<double>(one.blocks)})));
}

CompiledKernel compiled_from(const Architecture& one, const KernelCounts& counts) {
  const auto [cycles, pipe] = busiest(one, counts);
  CompiledKernel kernel{.kernels = counts.kernels,
                        .cycles = cycles,
                        .pipe = pipe,
                        .elements_per_block = counts.elements_per_block};
  if (counts.threads == 0) return kernel;
  const double warps = std::ceil(counts.threads / 32);
  const double per_lane = counts.elements_per_block / (32 * warps);
  kernel.instructions = issued(counts) * per_lane;
  kernel.lookups = counts.pipes[6] * per_lane;
  kernel.alone = std::max(0.0, counts.busiest_warp - kernel.instructions);
  kernel.resident_blocks = resident_blocks(one, counts);
  kernel.resident_warps = static_cast<int>(kernel.resident_blocks * warps);
  return kernel;
}

constexpr std::string_view kCountHeader =
    "codec,operation,inputs,value_bytes,to,kernels,loops,fma,multiply,alu,convert,xu,lsu,lookup,"
    "fp64,"
    "uniform,control,registers,shared_bytes,threads,elements_per_block,other_bytes,busiest_warp,"
    "code";
constexpr std::size_t kCountColumns = 24;

// One line of a table. They are read whenever times are carried over, so by place, not by name.
class CountLine {
 public:
  CountLine(std::string place, std::string_view text) : place_(std::move(place)) {
    std::size_t begin = 0, column = 0;
    for (; column < kCountColumns && begin <= text.size(); ++column) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      fields_[column] = text.substr(begin, end - begin);
      begin = end + 1;
    }
    if (column < kCountColumns || begin <= text.size()) {
      fail(fmt::format("a row has {} fields", kCountColumns));
    }
  }
  [[nodiscard]] std::string_view text(std::size_t column) const { return fields_[column]; }
  // A count, which may be 0, or is left out where there are only copies.
  [[nodiscard]] double count(std::size_t column) const {
    if (fields_[column].empty()) return 0;
    const auto value = number_in<double>(fields_[column]);
    if (!value || !std::isfinite(*value) || *value < 0) {
      fail(fmt::format("'{}' is no count", fields_[column]));
    }
    return *value;
  }
  [[noreturn]] void fail(const std::string& what) const { throw InputError(place_ + what); }

 private:
  std::string place_;
  std::array<std::string_view, kCountColumns> fields_;
};

// A step's `inputs` are the ranks whose wires it reads or writes.
std::string count_key(const CountLine& line) {
  if (const codecs::MethodStep* step = step_named(line.text(0), line.text(1))) {
    return step_key(*step, {.ranks = static_cast<std::size_t>(line.count(2))});
  }
  const auto operation = codecs::operation_named(line.text(1));
  if (!operation) line.fail(fmt::format("unknown kernel '{}'", line.text(1)));
  return kernel_key({.operation = *operation,
                     .inputs = static_cast<int>(line.count(2)),
                     .value_bytes = static_cast<int>(line.count(3))},
                    line.text(0), line.text(4));
}

KernelCounts counts_of(const CountLine& line) {
  KernelCounts counts{.kernels = static_cast<int>(line.count(5)),
                      .registers = line.count(17),
                      .shared_bytes = line.count(18),
                      .threads = line.count(19),
                      .elements_per_block = line.count(20),
                      .busiest_warp = line.count(22)};
  for (std::size_t i = 0; i < kPipes.size(); ++i) counts.pipes[i] = line.count(7 + i);
  return counts;
}

std::filesystem::path file_of(const Architecture& one, const std::filesystem::path& folder) {
  return folder / (std::string(one.name) + ".csv");
}

std::shared_ptr<const CompiledKernels> read_table(const std::filesystem::path& file,
                                                  const Architecture& one) {
  const std::string text = read_file(file);
  std::map<std::string, CompiledKernel> kernels;
  bool header = false;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (row.empty() || row.front() == '#') continue;
    const std::string place = fmt::format("{}:{}:1: ", file.string(), number + 1);
    if (!header) {
      if (row != kCountHeader)
        throw InputError(place + "these are not the columns of such a table");
      header = true;
      continue;
    }
    const CountLine line(place, row);
    if (line.count(6) == 0) kernels[count_key(line)] = compiled_from(one, counts_of(line));
  }
  return std::make_shared<const CompiledKernels>(CompiledKernels{.architecture = one.name,
                                                                 .lanes = one.fp32,
                                                                 .clock_hz = one.clock_hz,
                                                                 .kernels = std::move(kernels)});
}

}  // namespace

std::optional<CompiledKernel> compiled_kernel(const KernelCounts& counts, const std::string& gpu) {
  const Architecture* one = architecture_of(gpu);
  return one == nullptr ? std::nullopt : std::optional(compiled_from(*one, counts));
}

std::shared_ptr<const CompiledKernels> read_compiled_kernels(const std::filesystem::path& folder,
                                                             const std::string& gpu) {
  const Architecture* one = architecture_of(gpu);
  return one == nullptr ? nullptr : read_table(file_of(*one, folder), *one);
}

std::shared_ptr<const CompiledKernels> read_measured_kernels(const std::filesystem::path& folder,
                                                             const std::string& gpu) {
  const Architecture* one = architecture_of(gpu);
  if (one == nullptr) return nullptr;
  const std::filesystem::path measured = file_of(*one, folder / "measured");
  return read_table(std::filesystem::exists(measured) ? measured : file_of(*one, folder), *one);
}

}  // namespace sim
