// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of the top-k codecs; codecs/cuda/kernels.hpp states the contract of all launchers.
// At most an eighth of a chunk, or 64, may be kept, or, of enumerated wires in codebook2, all. Of
// enumerated wires with indices, at most 64, whose ranks have at most 512 bits. Values, residual and
// scratch are aligned to 16 bytes.
//
// Matrices are read and written tile by tile in place; their residual has the same order.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

// Scratch of codebook2 and of enumerated indices; 0 otherwise.
[[nodiscard]] std::size_t top_k_scratch_bytes(const Format& format, std::size_t elements);

void encode_top_k_async(const Format& format, Tensor<const float> values, const Encoding& to,
                        cudaStream_t stream);
void encode_top_k_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                        cudaStream_t stream);
void encode_top_k_async(const Format& format, const Tiled<const float>& matrix, const Encoding& to,
                        cudaStream_t stream);
void encode_top_k_async(const Format& format, const Tiled<const Bf16>& matrix, const Encoding& to,
                        cudaStream_t stream);
// encode_with_feedback of codecs/feedback/feedback.hpp; `nonfinite` covers what is sent.
void encode_top_k_feedback_async(const Format& format, const Feedback& feedback,
                                 Tensor<const float> values, float* residual, const Encoding& to,
                                 cudaStream_t stream);
void encode_top_k_feedback_async(const Format& format, const Feedback& feedback,
                                 Tensor<const Bf16> values, float* residual, const Encoding& to,
                                 cudaStream_t stream);
void encode_top_k_feedback_async(const Format& format, const Feedback& feedback,
                                 const Tiled<const float>& matrix, float* residual,
                                 const Encoding& to, cudaStream_t stream);
void encode_top_k_feedback_async(const Format& format, const Feedback& feedback,
                                 const Tiled<const Bf16>& matrix, float* residual,
                                 const Encoding& to, cudaStream_t stream);

void decode_top_k_async(const Format& format, const std::byte* wire, Tensor<float> values,
                        cudaStream_t stream);
void decode_reduce_top_k_async(const Format& format, const Wires& wires, Tensor<float> sums,
                               cudaStream_t stream);
void decode_reduce_top_k_async(const Format& format, const Wires& wires, const Tiled<float>& sums,
                               cudaStream_t stream);

}  // namespace codecs::cuda
