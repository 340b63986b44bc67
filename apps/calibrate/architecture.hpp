// SPDX-License-Identifier: Apache-2.0
// Kernel times count for a GPU only if the kernels were compiled for it.
#pragma once

#include <string>

namespace calibrate {

// Throws sim::InputError unless the code matches the device: a GPU of compute capability `device`
// (90 for 9.0) that runs code for `code` (90 for sm_90; 0: it runs none).
void require_native(const std::string& gpu, int device, int code);

[[nodiscard]] std::string architecture_name(int architecture);  // "sm_90"

}  // namespace calibrate
