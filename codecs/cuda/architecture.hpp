// SPDX-License-Identifier: Apache-2.0
// The GPU architecture that the running kernels were compiled for.
#pragma once

namespace codecs::cuda {

// 90 for sm_90, or for code that the driver compiled from compute_90; 0 if this program has no code
// that the current device can run.
[[nodiscard]] int code_architecture();

}  // namespace codecs::cuda
