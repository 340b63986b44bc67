// SPDX-License-Identifier: Apache-2.0
#include "apps/calibrate/gpu_table.hpp"
#include "sim/base/error.hpp"

namespace calibrate {

int write_gpu_table(const Settings&) {
  throw sim::InputError(
      "--device: this gardenhose-calibrate was built without CUDA; write --device cpu, or build it "
      "with -DGARDENHOSE_CUDA=ON");
}

}  // namespace calibrate
