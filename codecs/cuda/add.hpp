// SPDX-License-Identifier: Apache-2.0
// A sum of tensors, for decodes that add; codecs/cuda/kernels.hpp states the contract of all
// launchers.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// sums += terms, as many; of a BF16 model, model = bf16(model + bf16(terms)).
void add_async(Tensor<const float> terms, float* sums, cudaStream_t stream);
void add_async(Tensor<const float> terms, Bf16* model, cudaStream_t stream);
void add_async(Tensor<const Bf16> terms, float* sums, cudaStream_t stream);

}  // namespace codecs::cuda
