// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of rotations by random signs; codecs/cuda/kernels.hpp states the contract of all
// launchers.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/rotation/rotation.hpp"

namespace codecs::cuda {

// rotate and rotate_back as separate in-place kernels. They throw std::invalid_argument under the
// same conditions.
void rotate_async(std::size_t block, const SignKey& signs, Tensor<float> values,
                  cudaStream_t stream);
void rotate_back_async(std::size_t block, const SignKey& signs, Tensor<float> values,
                       cudaStream_t stream);

// encode_rotated and decode_reduce_rotated for the registry's formats, in one pass. Wires with
// different signs sum to NaNs.
void encode_rotated_async(const Format& format, Tensor<const float> values, const Encoding& to,
                          cudaStream_t stream);
void encode_rotated_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                          cudaStream_t stream);
void decode_reduce_rotated_async(const Format& format, const Wires& wires, Tensor<float> sums,
                                 cudaStream_t stream);

}  // namespace codecs::cuda
