// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/feedback.hpp"

#include "codecs/feedback/kernels.hpp"

namespace codecs::cuda {
namespace {

constexpr std::size_t kPointerAlignment = 16;

// Bytes of the encode's own scratch, which lies before the values that are sent and come back.
std::size_t own_scratch_bytes(const CudaCodec& codec, std::size_t elements) {
  if (codec.scratch_bytes == nullptr || elements == 0) return 0;
  const std::size_t bytes = codec.scratch_bytes(codec.codec->format, elements);
  return (bytes + kPointerAlignment - 1) / kPointerAlignment * kPointerAlignment;
}

template <typename Value>
void compose(const CudaCodec& codec, const Feedback& feedback, Tensor<const Value> values,
             float* residual, const Encoding& to, cudaStream_t stream) {
  const Format& format = codec.codec->format;
  const std::size_t elements = values.elements;
  if (elements == 0) return;
  auto* const sent = reinterpret_cast<float*>(to.scratch + own_scratch_bytes(codec, elements));
  add_residual_async(feedback, values, residual, sent, stream);
  codec.encode_async(format, {sent, elements},
                     {.wires = to.wires, .key = to.key, .scratch = to.scratch}, stream);
  codec.decode_async(format, to.wires, {sent, elements}, stream);
  keep_lost_async(feedback, values, residual, sent, to.nonfinite, stream);
}

}  // namespace

void encode_feedback_async(const CudaCodec& codec, const Feedback& feedback,
                           Tensor<const float> values, float* residual, const Encoding& to,
                           cudaStream_t stream) {
  if (codec.encode_feedback_async == nullptr) {
    return compose(codec, feedback, values, residual, to, stream);
  }
  codec.encode_feedback_async(codec.codec->format, feedback, values, residual, to, stream);
}

void encode_feedback_async(const CudaCodec& codec, const Feedback& feedback,
                           Tensor<const Bf16> values, float* residual, const Encoding& to,
                           cudaStream_t stream) {
  if (codec.encode_feedback_bf16_async == nullptr) {
    return compose(codec, feedback, values, residual, to, stream);
  }
  codec.encode_feedback_bf16_async(codec.codec->format, feedback, values, residual, to, stream);
}

std::size_t feedback_scratch_bytes(const CudaCodec& codec, std::size_t elements) {
  if (codec.encode_feedback_async != nullptr) {
    return codec.scratch_bytes == nullptr ? 0 : codec.scratch_bytes(codec.codec->format, elements);
  }
  return own_scratch_bytes(codec, elements) + elements * sizeof(float);
}

}  // namespace codecs::cuda
