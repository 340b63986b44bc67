// SPDX-License-Identifier: Apache-2.0
// CUDA kernels for elements without a scale, 1 or 2 bytes each: fp16 and natural compression.
// codecs/cuda/kernels.hpp states the contract of all launchers.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

void encode_elements_async(const Format& format, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream);
void encode_elements_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                           cudaStream_t stream);
void decode_elements_async(const Format& format, const std::byte* wire, Tensor<float> values,
                           cudaStream_t stream);

}  // namespace codecs::cuda
