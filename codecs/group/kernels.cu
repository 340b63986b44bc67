#include "codecs/cuda/launch.cuh"
#include "codecs/group/kernels.hpp"

namespace codecs::cuda {

void encode_async(const Format& format, Tensor<const float> values, const Encoding& to,
                  cudaStream_t stream) {
  launch_plain_encode(format, TensorSource<float>{values.values, values.elements}, to, stream);
}

void encode_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                  cudaStream_t stream) {
  launch_plain_encode(format, TensorSource<Bf16>{values.values, values.elements}, to, stream);
}

void decode_reduce_async(const Format& format, const Wires& wires, Tensor<float> sums,
                         cudaStream_t stream) {
  launch_decode(format, wires, TensorSink<float>{sums.values, sums.elements}, stream);
}

void decode_reduce_async(const Format& format, const Wires& wires, Tensor<Bf16> sums,
                         cudaStream_t stream) {
  launch_decode(format, wires, TensorSink<Bf16>{sums.values, sums.elements}, stream);
}

}  // namespace codecs::cuda
