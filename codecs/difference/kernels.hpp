// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of weight differences; codecs/cuda/kernels.hpp states the contract of all launchers.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

// Subtracts and encodes in one pass; `model` has as many values as `master`. The bfloat16 overload
// is for masters that are already rounded.
void encode_difference_async(const Format& format, Tensor<const float> master, const Bf16* model,
                             const Encoding& to, cudaStream_t stream);
void encode_difference_async(const Format& format, Tensor<const Bf16> master, const Bf16* model,
                             const Encoding& to, cudaStream_t stream);

// Decodes one wire and adds it to the model, in place.
void decode_add_async(const Format& format, const std::byte* wire, Tensor<Bf16> model,
                      cudaStream_t stream);

}  // namespace codecs::cuda
