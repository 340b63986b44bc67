// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu/device.hpp"

#include <cuda_runtime_api.h>

#include <fstream>
#include <regex>
#include <string>

#include "apps/calibrate/architecture.hpp"
#include "codecs/cuda/architecture.hpp"
#include "codecs/cuda/error.hpp"

namespace calibrate {
namespace {

using codecs::cuda::check;

std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace

Device read_device() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    throw codecs::cuda::CudaError(
        "no CUDA device: --device gpu measures one; --device cpu times the code for CPUs");
  }
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0));
  int driver = 0;
  check(cudaDriverGetVersion(&driver));
  Device device{.name = properties.name,
                .multiprocessors = properties.multiProcessorCount,
                .device = {},
                .driver = {},
                .cuda = version(CUDART_VERSION)};
  device.architecture = 10 * properties.major + properties.minor;
  device.code = codecs::cuda::code_architecture();
  device.device = device.name + ", " + std::to_string(properties.totalGlobalMem >> 20) + " MiB, " +
                  std::to_string(properties.multiProcessorCount) + " multiprocessors, " +
                  architecture_name(device.architecture);
  device.fp8 = device.architecture >= 89;
  // "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build ..."
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  if (std::smatch number; std::regex_search(line, number, std::regex(R"(\d+(\.\d+)+)"))) {
    device.driver = number.str() + "; ";
  }
  device.driver += "CUDA " + version(driver);
  return device;
}

}  // namespace calibrate
