// SPDX-License-Identifier: Apache-2.0
#include "codecs/bf16/kernels.hpp"
#include "codecs/cuda/launch.cuh"

namespace codecs::cuda {

void to_bf16_async(Tensor<const float> values, Bf16* codes, unsigned* nonfinite,
                   cudaStream_t stream) {
  launch_copy<false>(TensorSource<float>{values.values, values.elements},
                     TensorSink<Bf16>{codes, values.elements}, nonfinite, stream);
}

void to_bf16_async(Tensor<const Bf16> values, Bf16* codes, unsigned* nonfinite,
                   cudaStream_t stream) {
  launch_copy<false>(TensorSource<Bf16>{values.values, values.elements},
                     TensorSink<Bf16>{codes, values.elements}, nonfinite, stream);
}

void to_float_async(Tensor<const Bf16> codes, float* values, cudaStream_t stream) {
  launch_copy<false>(TensorSource<Bf16>{codes.values, codes.elements},
                     TensorSink<float>{values, codes.elements}, nullptr, stream);
}

}  // namespace codecs::cuda
