// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of deep gradient compression; codecs/cuda/kernels.hpp states the contract of all
// launchers. A simple version: each round that adapts the threshold reads the gathered gradients
// again.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/dgc/dgc.hpp"

namespace codecs::cuda {

template <typename Value>
struct DgcTensors {
  const Value* gradient = nullptr;
  float* momentum = nullptr;
  float* gathered = nullptr;
  std::size_t elements = 0;
};

[[nodiscard]] std::size_t dgc_scratch_bytes(std::size_t elements);

void encode_dgc_async(const Dgc& dgc, const DgcTensors<float>& tensors, const Encoding& to,
                      cudaStream_t stream);
void encode_dgc_async(const Dgc& dgc, const DgcTensors<Bf16>& tensors, const Encoding& to,
                      cudaStream_t stream);
// One kernel per wire, so that the wires are added in order.
void decode_mean_dgc_async(const Dgc& dgc, const Wires& wires, Tensor<float> means,
                           cudaStream_t stream);

}  // namespace codecs::cuda
