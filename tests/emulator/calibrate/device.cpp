// SPDX-License-Identifier: Apache-2.0
// What gardenhose-calibrate is told of the emulated GPU. No simulation knows one of this name.
#include "apps/calibrate/gpu/device.hpp"

namespace calibrate {

Device read_device() {
  return {.name = "emulated GPU",
          .multiprocessors = 1,
          .device = "emulated GPU, which runs kernels on the CPU, sm_90",
          .driver = "emulator",
          .cuda = "headers alone",
          .architecture = 90,
          .code = 90,
          .fp8 = true};
}

}  // namespace calibrate
