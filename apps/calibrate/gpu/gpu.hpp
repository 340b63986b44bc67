// The whole table of a GPU.
#pragma once

#include <string>
#include <vector>

#include "apps/calibrate/settings.hpp"
#include "apps/calibrate/table.hpp"

namespace calibrate {

struct GpuTable {
  std::string gpu;  // "NVIDIA H200"
  Json table;
  std::vector<std::string> disagreed;  // kernels that are in no row: their output was wrong
};

// Throws CudaError where there is no GPU or where it fails.
[[nodiscard]] GpuTable measure_gpu(const Settings& settings);

}  // namespace calibrate
