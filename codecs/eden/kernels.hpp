// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of EDEN, one pass over memory each; codecs/cuda/kernels.hpp states the contract of
// all launchers. There are kernels for groups of 128, 1024, 2048, 4096 and 8192.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

void encode_eden_async(const Format& format, Tensor<const float> values, const Encoding& to,
                       cudaStream_t stream);
void encode_eden_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                       cudaStream_t stream);

// The sum of the wires; for one wire, its values. Wires with different signs sum to NaNs.
void decode_reduce_eden_async(const Format& format, const Wires& wires, Tensor<float> sums,
                              cudaStream_t stream);
void decode_reduce_eden_async(const Format& format, const Wires& wires, Tensor<Bf16> sums,
                              cudaStream_t stream);

}  // namespace codecs::cuda
