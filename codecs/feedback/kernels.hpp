// CUDA kernels of error feedback for the integer group codecs without a transform;
// codecs/cuda/kernels.hpp says what all launchers promise. One pass: values and residual are read
// once, wire and residual written once. A scale of the tensor takes two, and its codec's scratch.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/feedback/feedback.hpp"

namespace codecs::cuda {

// What an encode keeps of a tensor, in the order of its values; null: nothing.
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

}  // namespace codecs::cuda
