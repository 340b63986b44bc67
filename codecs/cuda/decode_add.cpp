// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/decode_add.hpp"

#include "codecs/cuda/add.hpp"

namespace codecs::cuda {
namespace {

template <typename Value>
void decode_then_add(const CudaCodec& codec, const std::byte* wire, Tensor<Value> sums,
                     std::byte* scratch, cudaStream_t stream) {
  if (sums.elements == 0) return;
  const Tensor<float> decoded{reinterpret_cast<float*>(scratch), sums.elements};
  codec.decode_async(codec.codec->format, wire, decoded, stream);
  add_async(Tensor<const float>{decoded.values, decoded.elements}, sums.values, stream);
}

}  // namespace

void decode_add_async(const CudaCodec& codec, const std::byte* wire, Tensor<float> sums,
                      std::byte* scratch, cudaStream_t stream) {
  if (codec.decode_add_fp32_async == nullptr) {
    return decode_then_add(codec, wire, sums, scratch, stream);
  }
  codec.decode_add_fp32_async(codec.codec->format, wire, sums, stream);
}

void decode_add_async(const CudaCodec& codec, const std::byte* wire, Tensor<Bf16> model,
                      std::byte* scratch, cudaStream_t stream) {
  if (codec.decode_add_async == nullptr) {
    return decode_then_add(codec, wire, model, scratch, stream);
  }
  codec.decode_add_async(codec.codec->format, wire, model, stream);
}

std::size_t decode_add_scratch_bytes(const CudaCodec& codec, std::size_t elements) {
  return codec.decode_add_fp32_async == nullptr ? elements * sizeof(float) : 0;
}

std::size_t decode_add_bf16_scratch_bytes(const CudaCodec& codec, std::size_t elements) {
  return codec.decode_add_async == nullptr ? elements * sizeof(float) : 0;
}

}  // namespace codecs::cuda
