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
constexpr std::size_t kBeyondCaches = std::size_t{64} << 20;

// In a step tensors are not in the caches: launches take turns on copies that caches cannot hold.
std::size_t copies_of(std::size_t bytes) { return (kBeyondCaches + bytes - 1) / bytes; }

// Each run has the next copy's turn, and the first copy's comes after `again`.
Time time_of(
    std::size_t copies, const std::function<void(std::size_t)>& run,
    const std::function<void()>& again = [] {}) {
  std::vector<double> seconds;
  double all = 0;
  while (seconds.size() < kLeastRuns || (all < kEnoughSeconds && seconds.size() < kMostRuns)) {
    const std::size_t copy = seconds.size() % copies;
    if (copy == 0) again();
    const auto start = std::chrono::steady_clock::now();
    run(copy);
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

template <typename Value>
std::span<Value> of_copy(std::vector<Value>& all, std::size_t copy, std::size_t size) {
  return std::span(all).subspan(copy * size, size);
}

// What the kernels of one size read and write, for all copies.
struct Tensors {
  std::size_t elements, copies;  // elements of each
  std::vector<float> values, residuals, decoded;
  explicit Tensors(std::size_t each)
      : elements(each),
        copies(copies_of(each * sizeof(float))),
        values(Pattern().input({0, copies * each})),
        residuals(copies * each),
        decoded(copies * each) {}
};

std::vector<std::byte> repeated(std::span<const std::byte> wire, std::size_t times) {
  std::vector<std::byte> all;
  all.reserve(times * wire.size());
  for (std::size_t one = 0; one < times; ++one) all.insert(all.end(), wire.begin(), wire.end());
  return all;
}

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
                   std::span<const std::byte> wires, std::size_t inputs, std::span<float> sum) {
  if (row.decode_reduce != nullptr) {
    return row.decode_reduce(row.codec->format, wires, inputs, sum, run);
  }
  const std::size_t bytes = wires.size() / inputs;
  std::ranges::fill(sum, 0.0f);
  for (std::size_t one = 0; one < inputs; ++one) {
    decode_add(row, wires.subspan(one * bytes, bytes), sum, run);
  }
}

void measure_codec(const codecs::cpu::CpuCodec& row, const codecs::cpu::Run& run, Tensors& on,
                   Json& rows) {
  const codecs::Format& format = row.codec->format;
  const std::size_t bytes = codecs::encoded_bytes(format, on.elements);
  const auto add = [&](Operation operation, int inputs, const Time& time) {
    const KernelRow kernel{.codec = row.codec,
                           .shape = {.operation = operation, .wire = format, .inputs = inputs},
                           .elements = on.elements};
    rows.push_back(json_of(kernel, time));
  };
  const auto part = [&](std::vector<float>& all, std::size_t copy) {
    return of_copy(all, copy, on.elements);
  };
  std::vector<std::byte> wires(on.copies * bytes);
  const auto encode_feedback_of = [&](std::size_t copy) {
    encode_feedback(row, {.carry = 0.9f}, part(on.values, copy), key_of(0, 0),
                    part(on.residuals, copy), of_copy(wires, copy, bytes), run);
  };
  // Of some codecs, what is left grows from one step to the next: it begins anew.
  add(Operation::encode_feedback, 1,
      time_of(on.copies, encode_feedback_of, [&] { std::ranges::fill(on.residuals, 0.0f); }));
  add(Operation::encode, 1, time_of(on.copies, [&](std::size_t copy) {
        encode(row, part(on.values, copy), key_of(0, 0), of_copy(wires, copy, bytes), run);
      }));
  const bool sums = row.decode == nullptr || row.decode_reduce != nullptr;
  const std::size_t most = sums ? kSummed.back() : 1;
  wires = repeated(of_copy(wires, 0, bytes), most * on.copies);
  add(Operation::decode, 1, time_of(on.copies, [&](std::size_t copy) {
        decode(row, of_copy(wires, copy, bytes), part(on.decoded, copy), run);
      }));
  if (!sums) return;
  for (const int inputs : kSummed) {
    const auto count = static_cast<std::size_t>(inputs);
    add(Operation::decode_reduce, inputs, time_of(on.copies, [&](std::size_t copy) {
          decode_reduce(row, run, of_copy(wires, copy, count * bytes), count,
                        part(on.decoded, copy));
        }));
  }
}

Json measure_copy(std::size_t bytes, int threads) {
  const std::size_t copies = copies_of(bytes);
  std::vector<std::byte> from(copies * bytes, std::byte{1}), to(copies * bytes);
  const Time time = time_of(copies, [&](std::size_t copy) {
    const auto source = of_copy(from, copy, bytes), target = of_copy(to, copy, bytes);
    codecs::cpu::in_parts(threads, bytes, [&](std::size_t first, std::size_t last) {
      std::memcpy(target.data() + first, source.data() + first, last - first);
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
