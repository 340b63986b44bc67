// SPDX-License-Identifier: Apache-2.0
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
  std::vector<std::string> disagreed;  // kernels without a row because their output was wrong
};

// Throws CudaError if the GPU fails, and sim::InputError, before measuring, if a library named by
// the settings is not one.
[[nodiscard]] GpuTable measure_gpu(const Settings& settings, const Device& device);

}  // namespace calibrate
