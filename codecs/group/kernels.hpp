// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of the group codecs; codecs/cuda/kernels.hpp states the contract of all launchers.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

void encode_async(const Format& format, Tensor<const float> values, const Encoding& to,
                  cudaStream_t stream);
void encode_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                  cudaStream_t stream);

// Scratch of an encode.
[[nodiscard]] std::size_t scratch_bytes(const Format& format, std::size_t elements);

// The sum of the wires; for one wire, its values.
void decode_reduce_async(const Format& format, const Wires& wires, Tensor<float> sums,
                         cudaStream_t stream);
void decode_reduce_async(const Format& format, const Wires& wires, Tensor<Bf16> sums,
                         cudaStream_t stream);

// sums += decoded.
void decode_add_async(const Format& format, const std::byte* wire, Tensor<float> sums,
                      cudaStream_t stream);

}  // namespace codecs::cuda
