// The whole table of a GPU.
#pragma once

#include <string>
#include <vector>

#include "apps/calibrate/gpu/device.hpp"
#include "apps/calibrate/settings.hpp"
#include "apps/calibrate/table.hpp"

namespace calibrate {

struct GpuTable {
  Json table;
  std::vector<std::string> disagreed;  // kernels that are in no row: their output was wrong
};

// Throws CudaError where the GPU fails, and sim::InputError, before it measures, where a library
// that the settings name is none.
[[nodiscard]] GpuTable measure_gpu(const Settings& settings, const Device& device);

}  // namespace calibrate
