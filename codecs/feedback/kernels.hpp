// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of error feedback for the integer group codecs without a transform;
// codecs/cuda/kernels.hpp states the contract of all launchers. One pass: values and residual are
// read once, wire and residual written once. A scale per tensor takes two passes, and its codec's
// scratch.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

// State that an encode keeps of a tensor, in the order of its values; null: none.
struct Residual {
  float* values = nullptr;
  Feedback feedback = {};
};

void encode_feedback_async(const Format& format, const Feedback& feedback,
                           Tensor<const float> values, float* residual, const Encoding& to,
                           cudaStream_t stream);
void encode_feedback_async(const Format& format, const Feedback& feedback,
                           Tensor<const Bf16> values, float* residual, const Encoding& to,
                           cudaStream_t stream);

// The two passes that give feedback to any codec (codecs/cuda/feedback.hpp). Before its encode: sent =
// gain * values + carry * residual.
void add_residual_async(const Feedback& feedback, Tensor<const float> values, float* residual,
                        float* sent, cudaStream_t stream);
void add_residual_async(const Feedback& feedback, Tensor<const Bf16> values, float* residual,
                        float* sent, cudaStream_t stream);
// After its decode: the residual of what was sent and became `decoded`. *nonfinite as Encoding has
// it, of either.
void keep_lost_async(const Feedback& feedback, Tensor<const float> values, float* residual,
                     const float* decoded, unsigned* nonfinite, cudaStream_t stream);
void keep_lost_async(const Feedback& feedback, Tensor<const Bf16> values, float* residual,
                     const float* decoded, unsigned* nonfinite, cudaStream_t stream);

}  // namespace codecs::cuda
