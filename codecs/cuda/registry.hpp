// The CUDA twin of codecs/registry.cpp: what encodes and decodes float32 on the GPU for each codec.
#pragma once

#include <span>
#include <string_view>

#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

struct CudaCodec {
  const Codec* codec = nullptr;  // its reference: equal bytes
  void (*encode_async)(const Format& format, Tensor<const float> values, const Encoding& to,
                       cudaStream_t stream) = nullptr;
  void (*decode_async)(const Format& format, const std::byte* wire, Tensor<float> values,
                       cudaStream_t stream) = nullptr;
};

[[nodiscard]] std::span<const CudaCodec> all_cuda_codecs();

}  // namespace codecs::cuda
