// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/add.hpp"
#include "codecs/cuda/launch.cuh"

namespace codecs::cuda {
namespace {

template <typename Term, typename Sum>
void add(Tensor<const Term> terms, Sum* sums, cudaStream_t stream) {
  launch_copy<false>(TensorSource<Term>{terms.values, terms.elements},
                     AddSink<Sum>{sums, terms.elements}, nullptr, stream);
}

}  // namespace

void add_async(Tensor<const float> terms, float* sums, cudaStream_t stream) {
  add(terms, sums, stream);
}

void add_async(Tensor<const float> terms, Bf16* model, cudaStream_t stream) {
  add(terms, model, stream);
}

void add_async(Tensor<const Bf16> terms, float* sums, cudaStream_t stream) {
  add(terms, sums, stream);
}

}  // namespace codecs::cuda
