// What is measured of the GPU itself, and what is read of it.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "codecs/cuda/benchmark.hpp"

namespace calibrate {

// Fails with CudaError if there is no device that works.
struct Device {
  std::string name;    // "NVIDIA H200"
  std::string device;  // name, memory, multiprocessors, compute capability
  std::string driver;
  std::string cuda;                 // of the toolkit that built this program
  double memory_bandwidth_Bps = 0;  // of the data sheet: bus width times clock
};
[[nodiscard]] Device read_device();

// Of a copy in device memory, bytes read and written together: the floor under every kernel.
[[nodiscard]] double copy_bandwidth_Bps(const codecs::cuda::Benchmark& benchmark,
                                        std::size_t bytes);

// BF16 products of transformer layers (forward, gradient of the input, of the weights) with cuBLAS,
// checked on a sample: rows {precision, m, n, k, median_s, spread_s}. cuBLAS is loaded from
// `library`, or from where the system finds it; null where it is not there.
[[nodiscard]] nlohmann::ordered_json measure_gemm(const codecs::cuda::Benchmark& benchmark,
                                                  const std::string& library);

}  // namespace calibrate
