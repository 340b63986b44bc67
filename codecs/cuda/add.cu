// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/add.hpp"
#include "codecs/cuda/launch.cuh"

namespace codecs::cuda {

void add_async(Tensor<const float> terms, float* sums, cudaStream_t stream) {
  launch_copy<false>(TensorSource<float>{terms.values, terms.elements},
                     AddSink<float>{sums, terms.elements}, nullptr, stream);
}

}  // namespace codecs::cuda
