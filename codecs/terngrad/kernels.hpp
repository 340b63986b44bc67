// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of TernGrad; codecs/cuda/kernels.hpp states the contract of all launchers. A tensor
// scale takes two passes and scratch. Decoding is that of codecs/group/kernels.hpp for
// ternary_as_group(format).
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

[[nodiscard]] std::size_t ternary_scratch_bytes(const Format& format, std::size_t elements);

void encode_ternary_async(const Format& format, Tensor<const float> values, const Encoding& to,
                          cudaStream_t stream);
void encode_ternary_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                          cudaStream_t stream);
void decode_add_ternary_async(const Format& format, const std::byte* wire, Tensor<float> sums,
                              cudaStream_t stream);
void decode_reduce_ternary_async(const Format& format, const Wires& wires, Tensor<float> sums,
                                 cudaStream_t stream);

}  // namespace codecs::cuda
