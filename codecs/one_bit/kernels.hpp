// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of 1-bit Adam's all_reduce; codecs/cuda/kernels.hpp states the contract of all
// launchers. The bytes are those of codecs/one_bit/one_bit.hpp.
#pragma once

#include "codecs/cuda/kernels.hpp"
#include "codecs/one_bit/one_bit.hpp"

namespace codecs::cuda {

// Scratch of both encodes.
[[nodiscard]] std::size_t one_bit_scratch_bytes(const OneBit& shape);

void encode_to_servers_async(const OneBit& shape, const float* values, float* residual,
                             const Encoding& to, cudaStream_t stream);
void reduce_on_server_async(const OneBit& shape, const std::byte* wires, float* residual,
                            const Encoding& to, cudaStream_t stream);
void decode_from_servers_async(const OneBit& shape, const std::byte* wires, float* mean,
                               cudaStream_t stream);

}  // namespace codecs::cuda
