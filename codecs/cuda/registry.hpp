// SPDX-License-Identifier: Apache-2.0
// The CUDA twin of codecs/registry.cpp: the GPU operations of each codec.
#pragma once

#include <span>
#include <string_view>

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

// A null operation has no kernel of its own; codecs/cuda/feedback.hpp has feedback for every codec, and
// codecs/cuda/decode_add.hpp decodes that add.
// Only the encodes of plain values and decode_async are never null.
struct CudaCodec {
  const Codec* codec = nullptr;  // its reference, with equal bytes
  void (*encode_async)(const Format& format, Tensor<const float> values, const Encoding& to,
                       cudaStream_t stream) = nullptr;
  void (*decode_async)(const Format& format, const std::byte* wire, Tensor<float> values,
                       cudaStream_t stream) = nullptr;
  void (*encode_bf16_async)(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                            cudaStream_t stream) = nullptr;
  // (new values, old values) -> wire of the difference; codecs/difference/difference.hpp.
  void (*encode_difference_async)(const Format& format, Tensor<const Bf16> master,
                                  const Bf16* model, const Encoding& to,
                                  cudaStream_t stream) = nullptr;
  void (*encode_feedback_async)(const Format& format, const Feedback& feedback,
                                Tensor<const float> values, float* residual, const Encoding& to,
                                cudaStream_t stream) = nullptr;
  void (*encode_feedback_bf16_async)(const Format& format, const Feedback& feedback,
                                     Tensor<const Bf16> values, float* residual, const Encoding& to,
                                     cudaStream_t stream) = nullptr;
  // wire -> model += decoded.
  void (*decode_add_async)(const Format& format, const std::byte* wire, Tensor<Bf16> model,
                           cudaStream_t stream) = nullptr;
  // wire -> sums += decoded.
  void (*decode_add_fp32_async)(const Format& format, const std::byte* wire, Tensor<float> sums,
                                cudaStream_t stream) = nullptr;
  void (*decode_reduce_async)(const Format& format, const Wires& wires, Tensor<float> sums,
                              cudaStream_t stream) = nullptr;
  // Scratch bytes of encode for this many values; null: none needed.
  std::size_t (*scratch_bytes)(const Format& format, std::size_t elements) = nullptr;
};

[[nodiscard]] std::span<const CudaCodec> all_cuda_codecs();

}  // namespace codecs::cuda
