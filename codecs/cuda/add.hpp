// SPDX-License-Identifier: Apache-2.0
// A sum of tensors, for decodes that add; codecs/cuda/kernels.hpp states the contract of all
// launchers.
#pragma once

#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// sums += terms, as many.
void add_async(Tensor<const float> terms, float* sums, cudaStream_t stream);

}  // namespace codecs::cuda
