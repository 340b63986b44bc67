// SPDX-License-Identifier: Apache-2.0
// The transform as a separate in-place kernel: its pass over memory is what fusion into an encode
// saves. codecs/cuda/kernels.hpp states the contract of all launchers.
#pragma once

#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// Throws std::invalid_argument unless the count is a multiple of 32.
void hadamard_async(Tensor<float> values, cudaStream_t stream);

}  // namespace codecs::cuda
