// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of random-k; codecs/cuda/kernels.hpp states the contract of all launchers.
// `nonfinite` covers the drawn values; with feedback, all values.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

void encode_random_k_async(const Format& format, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream);
void encode_random_k_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                           cudaStream_t stream);
void encode_random_k_feedback_async(const Format& format, const Feedback& feedback,
                                    Tensor<const float> values, float* residual, const Encoding& to,
                                    cudaStream_t stream);
void encode_random_k_feedback_async(const Format& format, const Feedback& feedback,
                                    Tensor<const Bf16> values, float* residual, const Encoding& to,
                                    cudaStream_t stream);

void decode_random_k_async(const Format& format, const std::byte* wire, Tensor<float> values,
                           cudaStream_t stream);
void decode_reduce_random_k_async(const Format& format, const Wires& wires, Tensor<float> sums,
                                  cudaStream_t stream);

}  // namespace codecs::cuda
