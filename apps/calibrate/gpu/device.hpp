// What is read of the GPU that is measured.
#pragma once

#include <cstddef>
#include <string>

namespace calibrate {

// Throws CudaError if there is no device that works.
struct Device {
  std::string name;    // "NVIDIA H200"
  std::string device;  // name, memory, multiprocessors, compute capability
  std::string driver;
  std::string cuda;      // of the toolkit that built this program
  int architecture = 0;  // 90 for compute capability 9.0
  int code = 0;          // that the kernels were compiled for; 0: it runs none of them
  bool fp8 = false;      // whether its tensor cores multiply E4M3
};
[[nodiscard]] Device read_device();

}  // namespace calibrate
