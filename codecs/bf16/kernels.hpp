// CUDA kernels of the bfloat16 codec; codecs/cuda/kernels.hpp says what all launchers promise.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// As many codes as values. bfloat16 stays what it is, but for the payloads of NaNs.
void to_bf16_async(Tensor<const float> values, Bf16* codes, unsigned* nonfinite,
                   cudaStream_t stream);
void to_bf16_async(Tensor<const Bf16> values, Bf16* codes, unsigned* nonfinite,
                   cudaStream_t stream);
void to_float_async(Tensor<const Bf16> codes, float* values, cudaStream_t stream);

}  // namespace codecs::cuda
