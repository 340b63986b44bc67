// SPDX-License-Identifier: Apache-2.0
// Encodes with error feedback for every codec: its own kernel, which moves the least memory, or where
// it has none its encode and its decode between two passes over values and residual. The bytes and
// the residual are encode_with_feedback()'s either way. codecs/cuda/kernels.hpp states the contract.
#pragma once

#include "codecs/cuda/registry.hpp"

namespace codecs::cuda {

// `to.scratch` has feedback_scratch_bytes().
void encode_feedback_async(const CudaCodec& codec, const Feedback& feedback,
                           Tensor<const float> values, float* residual, const Encoding& to,
                           cudaStream_t stream);
void encode_feedback_async(const CudaCodec& codec, const Feedback& feedback,
                           Tensor<const Bf16> values, float* residual, const Encoding& to,
                           cudaStream_t stream);

// Without a kernel of the codec's own, 4 bytes a value more than its encode.
[[nodiscard]] std::size_t feedback_scratch_bytes(const CudaCodec& codec, std::size_t elements);

}  // namespace codecs::cuda
