// SPDX-License-Identifier: Apache-2.0
// How fast codecs/cpu encodes and decodes 256 MiB of float32, in one thread and in two: bytes of
// float32 per second, and the share of what memcpy moves of them in as many threads, measured in
// turn with the kernel since a shared machine's speed changes. Both are of the fastest iteration.
// `scaling` is the gain of two threads over one, as a share of memcpy's own.
//
//   gardenhose-codec-benchmarks --benchmark_filter=sparseloco
#include <benchmark/benchmark.h>

#include <chrono>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "codecs/cpu/cpu.hpp"
#include "codecs/cpu/threads.hpp"
#include "codecs/error/distributions.hpp"

namespace {

using codecs::cpu::CpuCodec;
using codecs::cpu::Run;

constexpr std::size_t kElements = std::size_t{64} << 20;
constexpr std::size_t kDrawn = std::size_t{1} << 20;  // then repeated
constexpr int kIterations = 7;

struct Tensors {
  std::vector<float> values, others, residual;
  Tensors() : values(kElements), others(kElements), residual(kElements) {
    const auto drawn = codecs::draw(codecs::distribution_named("normal"), 1, kDrawn);
    for (std::size_t i = 0; i < kElements; ++i) values[i] = drawn[i % kDrawn];
  }
};

Tensors& tensors() {
  static Tensors all;
  return all;
}

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void copy(int threads) {
  codecs::cpu::in_parts(threads, kElements, [](std::size_t first, std::size_t last) {
    std::memcpy(tensors().others.data() + first, tensors().values.data() + first,
                (last - first) * sizeof(float));
  });
}

// Fastest of several: of the kernel and of a copy, by threads.
struct Fastest {
  double kernel = 1e9, copy = 1e9;
  void measure(int threads, const std::function<void(int threads)>& work) {
    copy = std::min(copy, seconds_of([&] { ::copy(threads); }));
    kernel = std::min(kernel, seconds_of([&] { work(threads); }));
  }
};

void measure(benchmark::State& state, const std::function<void(int threads)>& work) {
  const auto threads = static_cast<int>(state.range(0));
  Fastest one, all;
  for (auto _ : state) {
    all.measure(threads, work);
    if (threads > 1) one.measure(1, work);
    state.SetIterationTime(all.kernel);
  }
  constexpr double kBytes = kElements * sizeof(float);
  state.counters["GB/s"] = kBytes / all.kernel / 1e9;
  state.counters["memcpy"] = all.copy / all.kernel;
  if (threads > 1) state.counters["scaling"] = one.kernel / all.kernel / (one.copy / all.copy);
}

enum class What { encode, encode_feedback, decode };

void run_codec(benchmark::State& state, const CpuCodec& row, What what) {
  const codecs::Format& format = row.codec->format;
  std::vector<std::byte> wire(codecs::encoded_bytes(format, kElements));
  Tensors& on = tensors();
  std::fill(on.residual.begin(), on.residual.end(), 0.0f);
  row.encode(format, on.values, {}, wire, {});
  measure(state, [&](int threads) {
    const Run run{.threads = threads};
    if (what == What::encode) {
      row.encode(format, on.values, {}, wire, run);
    } else if (what == What::decode) {
      row.decode(format, wire, on.others, run);
    } else {
      row.encode_feedback(format, {.carry = 0.95f}, on.values, {}, on.residual, wire, run);
    }
  });
}

}  // namespace

int main(int count, char** arguments) {
  for (const CpuCodec& row : codecs::cpu::all_cpu_codecs()) {
    for (const auto& [what, name] : {std::pair{What::encode, "encode"},
                                     {What::encode_feedback, "encode_feedback"},
                                     {What::decode, "decode"}}) {
      const std::string title = std::string(row.codec->name) + "/" + name;
      benchmark::RegisterBenchmark(title.c_str(), run_codec, row, what)
          ->ArgName("threads")
          ->Arg(1)
          ->Arg(2)
          ->Iterations(kIterations)
          ->UseManualTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
