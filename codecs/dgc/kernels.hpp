// CUDA kernels of deep gradient compression; codecs/cuda/kernels.hpp says what all launchers
// promise. Plain: the gathered gradients are read again for each round that adapts the threshold.
#pragma once

#include "codecs/cuda/kernels.hpp"
#include "codecs/dgc/dgc.hpp"

namespace codecs::cuda {

struct DgcTensors {
  const float* gradient = nullptr;
  float* momentum = nullptr;
  float* gathered = nullptr;
  std::size_t elements = 0;
};

[[nodiscard]] std::size_t dgc_scratch_bytes(std::size_t elements);

void encode_dgc_async(const Dgc& dgc, const DgcTensors& tensors, const Encoding& to,
                      cudaStream_t stream);
// One kernel for each wire, so that they are added in their order.
void decode_mean_dgc_async(const Dgc& dgc, const Wires& wires, Tensor<float> means,
                           cudaStream_t stream);

}  // namespace codecs::cuda
