// SPDX-License-Identifier: Apache-2.0
// Properties of the measured GPU.
#pragma once

#include <cstddef>
#include <string>

namespace calibrate {

// Throws CudaError if no device works.
struct Device {
  std::string name;  // "NVIDIA H200"
  int multiprocessors = 0;
  std::string device;  // name, memory, multiprocessors, compute capability
  std::string driver;
  std::string cuda;      // of the toolkit that built this program
  int architecture = 0;  // 90 for compute capability 9.0
  int code = 0;          // architecture of its kernels; 0: it can run none
  bool fp8 = false;      // whether its tensor cores multiply E4M3
};
[[nodiscard]] Device read_device();

}  // namespace calibrate
