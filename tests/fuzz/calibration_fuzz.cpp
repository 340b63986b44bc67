// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>

#include "sim/times/calibration.hpp"
#include "tests/fuzz/reader_fuzz.hpp"

namespace {

bool ascends(const std::vector<sim::KernelTime>& times) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (!(times[i].seconds > 0) || (i > 0 && times[i - 1].elements >= times[i].elements)) {
      return false;
    }
  }
  return !times.empty();
}

// Of kernels that the seeds have or lack.
bool has_times(const sim::Calibration& table, const sim::Gpu& gpu) {
  for (const char* codec : {"int8_g128", "int8_g128_sr", "topk64", "bf16"}) {
    for (const double elements : {1.0, 1e6, 1e12}) {
      const sim::KernelUse use{.shape = {.operation = codecs::Operation::encode,
                                         .wire = codecs::codec_named(codec).format},
                               .elements = elements};
      const double seconds = sim::kernel_time(table, gpu, use).seconds;
      if (!std::isfinite(seconds) || seconds <= 0) return false;
    }
  }
  return true;
}

}  // namespace

// A table that reads gives every kernel a time, on its own GPU and on another.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  fuzz_reader(bytes, size, [](auto text, const auto& file, auto) {
    const sim::Calibration table = sim::parse_calibration(text, file);
    sim::Gpu gpu;
    gpu.name = "another";
    gpu.memory_bandwidth = sim::Bandwidth::from_base(4e12);
    gpu.memory_efficiency = 0.9;
    gpu.launch_latency = sim::Seconds::from_base(2e-6);
    bool sound = has_times(table, gpu);
    gpu.name = table.gpu;
    sound = sound && has_times(table, sim::as_measured(gpu, table));
    for (const auto& [key, times] : *table.kernels) sound = sound && ascends(times);
    for (const auto& [key, times] : *table.methods) sound = sound && ascends(times);
    if (!sound) std::abort();
  });
  return 0;
}
