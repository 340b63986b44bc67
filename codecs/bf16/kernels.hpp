// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of the bfloat16 codec; codecs/cuda/kernels.hpp states the contract of all launchers.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// One code per value. bfloat16 input is unchanged except for the payloads of NaNs.
void to_bf16_async(Tensor<const float> values, Bf16* codes, unsigned* nonfinite,
                   cudaStream_t stream);
void to_bf16_async(Tensor<const Bf16> values, Bf16* codes, unsigned* nonfinite,
                   cudaStream_t stream);
void to_float_async(Tensor<const Bf16> codes, float* values, cudaStream_t stream);

}  // namespace codecs::cuda
