// Which GPU the kernels that run were compiled for.
#pragma once

namespace codecs::cuda {

// 90 for sm_90, or for code that the driver made from compute_90; 0 if this program has none that
// the current device runs.
[[nodiscard]] int code_architecture();

}  // namespace codecs::cuda
