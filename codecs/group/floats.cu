// SPDX-License-Identifier: Apache-2.0
#include "codecs/cuda/launch.cuh"
#include "codecs/group/families.hpp"

namespace codecs::cuda {

template <typename Value>
void encode_floats_async(const Format& format, Tensor<const Value> values, const Encoding& to,
                         cudaStream_t stream) {
  launch_plain_encode(FloatFormats{}, format, TensorSource<Value>{values.values, values.elements},
                      to, stream);
}

template void encode_floats_async(const Format&, Tensor<const float>, const Encoding&,
                                  cudaStream_t);
template void encode_floats_async(const Format&, Tensor<const Bf16>, const Encoding&, cudaStream_t);

}  // namespace codecs::cuda
