// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/add.hpp"
#include "codecs/cuda/launch.cuh"

namespace codecs::cuda {
namespace {

struct SumSink {
  float* sums = nullptr;
  std::size_t elements = 0;

  __device__ Fetched<float> fetch(std::size_t tile) const {
    return fetch_lane<false>(sums, elements, tile);
  }
  __device__ void store(std::size_t tile, const float (&x)[kLaneElements],
                        const Fetched<float>& fetched) const {
    float sum[kLaneElements];
    take_lane(fetched, sum);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) sum[i] += x[i];
    store_lane(sum, elements, tile, sums);
  }
};

}  // namespace

void add_async(Tensor<const float> terms, float* sums, cudaStream_t stream) {
  launch_copy<false>(TensorSource<float>{terms.values, terms.elements},
                     SumSink{sums, terms.elements}, nullptr, stream);
}

}  // namespace codecs::cuda
