// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/cpu.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <fstream>
#include <functional>

#include "apps/calibrate/pieces.hpp"
#include "codecs/cpu/or_reference.hpp"
#include "codecs/cpu/threads.hpp"

namespace calibrate {
namespace {

using codecs::Operation;

constexpr int kLeastRuns = 5, kMostRuns = 100;
constexpr double kEnoughSeconds = 0.05;
constexpr std::array kSummed{2, 4, 8};

Time time_of(const std::function<void()>& run) {
  std::vector<double> seconds;
  double all = 0;
  run();  // touches the output's pages
  while (seconds.size() < kLeastRuns || (all < kEnoughSeconds && seconds.size() < kMostRuns)) {
    const auto start = std::chrono::steady_clock::now();
    run();
    seconds.push_back(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    all += seconds.back();
  }
  std::ranges::sort(seconds);
  const std::size_t count = seconds.size();
  return {.median_s = seconds[count / 2],
          .spread_s = seconds[count * 3 / 4] - seconds[count / 4],
          .launches = static_cast<int>(count)};
}

// What the kernels of one size read and write.
struct Tensors {
  std::vector<float> values, residual, decoded;
  std::vector<std::byte> wires;
  explicit Tensors(std::size_t elements)
      : values(Pattern().input({0, elements})), residual(elements), decoded(elements) {}
};

// Those with kernels, unless names are given.
std::vector<codecs::cpu::CpuCodec> asked_codecs(const std::vector<std::string>& names) {
  const auto with_kernels = codecs::cpu::all_cpu_codecs();
  if (names.empty()) return {with_kernels.begin(), with_kernels.end()};
  std::vector<codecs::cpu::CpuCodec> rows;
  for (const codecs::cpu::CpuCodec& row : codecs::cpu::all_codecs_or_references()) {
    if (std::ranges::count(names, row.codec->name) > 0) rows.push_back(row);
  }
  return rows;
}

bool equals_reference(const codecs::cpu::CpuCodec& row, const codecs::cpu::Run& run) {
  if (row.encode == nullptr) return true;
  const codecs::Format& format = row.codec->format;
  const std::vector<float> values = Pattern().input({0, kWhole / 4 + 77});
  std::vector<std::byte> wire(codecs::encoded_bytes(format, values.size())), expected = wire;
  row.encode(format, values, key_of(0, 0), wire, run);
  row.codec->encode(format, values, key_of(0, 0), expected);
  return wire == expected;
}

// Without a kernel: each wire is decoded and added, as by the libraries (codecs/c).
void decode_reduce(const codecs::cpu::CpuCodec& row, const codecs::cpu::Run& run,
                   std::size_t inputs, Tensors& on) {
  if (row.decode_reduce != nullptr) {
    return row.decode_reduce(row.codec->format, on.wires, inputs, on.decoded, run);
  }
  const std::size_t bytes = on.wires.size() / inputs;
  std::ranges::fill(on.decoded, 0.0f);
  for (std::size_t one = 0; one < inputs; ++one) {
    decode_add(row, std::span(on.wires).subspan(one * bytes, bytes), on.decoded, run);
  }
}

void measure_codec(const codecs::cpu::CpuCodec& row, const codecs::cpu::Run& run, Tensors& on,
                   Json& rows) {
  const codecs::Format& format = row.codec->format;
  const std::size_t elements = on.values.size();
  const std::size_t bytes = codecs::encoded_bytes(format, elements);
  on.wires.resize(bytes);
  const auto add = [&](Operation operation, int inputs, const std::function<void()>& work) {
    const KernelRow kernel{.codec = row.codec,
                           .shape = {.operation = operation, .wire = format, .inputs = inputs},
                           .elements = elements};
    rows.push_back(json_of(kernel, time_of(work)));
  };
  add(Operation::encode, 1, [&] { encode(row, on.values, key_of(0, 0), on.wires, run); });
  std::ranges::fill(on.residual, 0.0f);
  add(Operation::encode_feedback, 1, [&] {
    encode_feedback(row, {.carry = 0.9f}, on.values, key_of(0, 0), on.residual, on.wires, run);
  });
  add(Operation::decode, 1, [&] { decode(row, on.wires, on.decoded, run); });
  if (row.decode != nullptr && row.decode_reduce == nullptr) return;
  for (const int inputs : kSummed) {
    const auto count = static_cast<std::size_t>(inputs);
    while (on.wires.size() < count * bytes) {
      on.wires.insert(on.wires.end(), on.wires.begin(),
                      on.wires.begin() + static_cast<std::ptrdiff_t>(bytes));
    }
    add(Operation::decode_reduce, inputs, [&] { decode_reduce(row, run, count, on); });
  }
}

Json measure_copy(std::size_t bytes, int threads) {
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  const Time time = time_of([&] {
    codecs::cpu::in_parts(threads, bytes, [&](std::size_t first, std::size_t last) {
      std::memcpy(to.data() + first, from.data() + first, last - first);
    });
  });
  return {{"moved_bytes", 2 * bytes},
          {"method", "memcpy"},
          {"median_s", time.median_s},
          {"spread_s", time.spread_s},
          {"launches", time.launches}};
}

}  // namespace

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

CpuTable measure_cpu(const Settings& settings) {
  const codecs::cpu::Run run{.threads = settings.threads};
  CpuTable result{.table = {{"cpu", processor_name()}, {"kind", "measured"}}};
  Json& table = result.table;
  const std::string target(codecs::cpu::targets().front().name);
  table["provenance"] =
      json_of(Provenance{.source = "gardenhose-calibrate --device cpu: median and interquartile "
                                   "range of the kernels of codecs/cpu, threads: " +
                                   std::to_string(settings.threads),
                         .device = processor_name() + ", " + target,
                         .architecture = target,
                         .driver = "",
                         .cuda = "",
                         .commit = settings.commit,
                         .command = settings.command});
  table["threads"] = settings.threads;
  Json copies = Json::array(), rows = Json::array();
  std::vector<codecs::cpu::CpuCodec> right;
  for (const codecs::cpu::CpuCodec& row : asked_codecs(settings.codecs)) {
    if (equals_reference(row, run)) {
      right.push_back(row);
    } else {
      result.disagreed.emplace_back(row.codec->name);
    }
  }
  for (std::size_t bytes = settings.sizes.min_bytes; bytes <= settings.sizes.max_bytes;
       bytes *= 4) {
    copies.push_back(measure_copy(bytes, settings.threads));
    Tensors tensors(bytes / sizeof(float));
    for (const auto& row : right) measure_codec(row, run, tensors, rows);
  }
  table["copy_bandwidth_Bps"] = Floor(copies).bandwidth_Bps();
  table["copy"] = copies;
  table["gemm"] = Json::array();
  table["codecs"] = by_kernel(rows);
  return result;
}

}  // namespace calibrate
