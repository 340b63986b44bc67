// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/architecture.hpp"

#include "sim/base/error.hpp"

namespace calibrate {

void require_native(const std::string& gpu, int device, int code) {
  if (device == code) return;
  const std::string wanted = std::to_string(device);
  const std::string what = code == 0
                               ? "this program has no kernels for it"
                               : "this program has only kernels for " + architecture_name(code) +
                                     ", which do not use all of its instructions";
  throw sim::InputError(gpu + " is " + architecture_name(device) + ": " + what +
                        "; build with -DCMAKE_CUDA_ARCHITECTURES=" + wanted +
                        ", or ARCHITECTURES=" + wanted + " tests/gpu.sh --build");
}

std::string architecture_name(int architecture) { return "sm_" + std::to_string(architecture); }

}  // namespace calibrate
