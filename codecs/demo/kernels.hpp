// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of DeMo; codecs/cuda/kernels.hpp states the contract of all launchers. Scratch holds
// the coefficients, of which at most an eighth, or 64, may be kept. A matrix has tiles of the
// format's block, read and written in place.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/demo/demo.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

[[nodiscard]] std::size_t demo_scratch_bytes(const Format& format, std::size_t elements);

void encode_demo_async(const Format& format, Tensor<const float> values, const Encoding& to,
                       cudaStream_t stream);
void encode_demo_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                       cudaStream_t stream);
void encode_demo_async(const Format& format, const Tiled<const float>& matrix, const Encoding& to,
                       cudaStream_t stream);
void encode_demo_async(const Format& format, const Tiled<const Bf16>& matrix, const Encoding& to,
                       cudaStream_t stream);
void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                Tensor<const float> values, float* residual, const Encoding& to,
                                cudaStream_t stream);
void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                Tensor<const Bf16> values, float* residual, const Encoding& to,
                                cudaStream_t stream);
void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                const Tiled<const float>& matrix, float* residual,
                                const Encoding& to, cudaStream_t stream);
void encode_demo_feedback_async(const Format& format, const Feedback& feedback,
                                const Tiled<const Bf16>& matrix, float* residual,
                                const Encoding& to, cudaStream_t stream);

void decode_demo_async(const Format& format, const std::byte* wire, Tensor<float> values,
                       cudaStream_t stream);
void decode_reduce_demo_async(const Format& format, const Wires& wires, Tensor<float> sums,
                              cudaStream_t stream);
void decode_reduce_demo_async(const Format& format, const Wires& wires, const Tiled<float>& sums,
                              cudaStream_t stream);

// One wire per peer, and scratch of demo_average_scratch_bytes.
struct DemoAverage {
  float* averages = nullptr;
  std::size_t elements = 0;
  TileShape tiles = {};  // without columns: a row of tiles
  DemoStep step = DemoStep::average;
  std::byte* scratch = nullptr;
  unsigned* nonfinite = nullptr;  // becomes 1 if a peer was left out; null: not wanted
};
[[nodiscard]] std::size_t demo_average_scratch_bytes(const Format& format, std::size_t elements,
                                                     int peers);
void average_demo_async(const Format& format, const Wires& wires, const DemoAverage& to,
                        cudaStream_t stream);

}  // namespace codecs::cuda
