// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of the sign codecs; codecs/cuda/kernels.hpp states the contract of all launchers.
// Group scales take one pass and no scratch; a tensor scale takes two passes.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

// Scratch of the encodes; 0 if the format has groups.
[[nodiscard]] std::size_t sign_scratch_bytes(const Format& format, std::size_t elements);

void encode_signs_async(const Format& format, Tensor<const float> values, const Encoding& to,
                        cudaStream_t stream);
void encode_signs_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                        cudaStream_t stream);
void encode_signs_feedback_async(const Format& format, const Feedback& feedback,
                                 Tensor<const float> values, float* residual, const Encoding& to,
                                 cudaStream_t stream);
void encode_signs_feedback_async(const Format& format, const Feedback& feedback,
                                 Tensor<const Bf16> values, float* residual, const Encoding& to,
                                 cudaStream_t stream);

// Encodes values plus the residual of earlier errors, which is updated.
struct FeedbackTensor {
  const float* values = nullptr;
  std::size_t elements = 0;
  float* residual = nullptr;
};
// One wire per shard, in order, each with its own signs and the scale of the whole tensor.
void encode_sign_shards_async(const Format& format, std::size_t shard_elements,
                              const FeedbackTensor& values, const Encoding& to,
                              cudaStream_t stream);

// The sum of the wires; for one wire, its values.
void decode_reduce_signs_async(const Format& format, const Wires& wires, Tensor<float> sums,
                               cudaStream_t stream);
void decode_reduce_signs_async(const Format& format, const Wires& wires, Tensor<Bf16> sums,
                               cudaStream_t stream);
// codecs/difference/difference.hpp's second half: model = bf16(model + bf16(decoded)).
void decode_add_signs_async(const Format& format, const std::byte* wire, Tensor<Bf16> model,
                            cudaStream_t stream);
// sums += decoded.
void decode_add_signs_async(const Format& format, const std::byte* wire, Tensor<float> sums,
                            cudaStream_t stream);

}  // namespace codecs::cuda
