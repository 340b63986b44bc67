// SPDX-License-Identifier: Apache-2.0
// Decodes that add, for every codec: its own kernel, or where it has none (is_fused()) its decode into
// scratch and a pass that adds. codecs/cuda/kernels.hpp states the contract.
#pragma once

#include "codecs/cuda/registry.hpp"

namespace codecs::cuda {

// sums += decoded; of a BF16 model, model = bf16(model + bf16(decoded)). `scratch` has as many bytes as
// the functions below say.
void decode_add_async(const CudaCodec& codec, const std::byte* wire, Tensor<float> sums,
                      std::byte* scratch, cudaStream_t stream);
void decode_add_async(const CudaCodec& codec, const std::byte* wire, Tensor<Bf16> model,
                      std::byte* scratch, cudaStream_t stream);

// 4 bytes a value without a kernel of the codec's own, else 0.
[[nodiscard]] std::size_t decode_add_scratch_bytes(const CudaCodec& codec, std::size_t elements);
[[nodiscard]] std::size_t decode_add_bf16_scratch_bytes(const CudaCodec& codec,
                                                        std::size_t elements);

}  // namespace codecs::cuda
