// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/difference/kernels.hpp"

namespace codecs::cuda {

void encode_difference_async(const Format& format, Tensor<const float> master, const Bf16* model,
                             const Encoding& to, cudaStream_t stream) {
  launch_plain_encode(IntegerFormats{}, format,
                      DifferenceSource<float>{master.values, model, master.elements}, to, stream);
}

void encode_difference_async(const Format& format, Tensor<const Bf16> master, const Bf16* model,
                             const Encoding& to, cudaStream_t stream) {
  launch_plain_encode(IntegerFormats{}, format,
                      DifferenceSource<Bf16>{master.values, model, master.elements}, to, stream);
}

void decode_add_async(const Format& format, const std::byte* wire, Tensor<Bf16> model,
                      cudaStream_t stream) {
  launch_decode(format, {.bytes = wire}, AddSink<Bf16>{model.values, model.elements}, stream);
}

}  // namespace codecs::cuda
