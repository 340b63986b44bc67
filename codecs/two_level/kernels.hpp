// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of the two-level reduction; codecs/cuda/kernels.hpp states the contract of all
// launchers. The last step is decode_reduce_async of codecs/group/kernels.hpp with the format
// between nodes.
#pragma once

#include "codecs/cuda/kernels.hpp"
#include "codecs/two_level/two_level.hpp"

namespace codecs::cuda {

// First hop: transforms, encodes and orders by destination in one pass.
void encode_swizzled_async(const TwoLevel& shape, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream);

// Between the hops: reads shape.inputs wires, writes shape.wires_out.
void decode_reduce_encode_async(const Requantise& shape, const std::byte* wires, const Encoding& to,
                                cudaStream_t stream);

}  // namespace codecs::cuda
