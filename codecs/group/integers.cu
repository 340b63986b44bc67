#include "codecs/cuda/launch.cuh"
#include "codecs/group/families.hpp"

namespace codecs::cuda {

void encode_integers_async(const Format& format, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream) {
  launch_plain_encode(IntegerFormats{}, format, TensorSource<float>{values.values, values.elements},
                      to, stream);
}

void encode_integers_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                           cudaStream_t stream) {
  launch_plain_encode(IntegerFormats{}, format, TensorSource<Bf16>{values.values, values.elements},
                      to, stream);
}

}  // namespace codecs::cuda
