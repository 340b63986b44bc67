// CUDA kernels of rotations by random signs; codecs/cuda/kernels.hpp says what all launchers
// promise.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/rotation/rotation.hpp"

namespace codecs::cuda {

// rotate and rotate_back, in place: kernels of their own. Throw std::invalid_argument where those
// do.
void rotate_async(std::size_t block, const SignKey& signs, Tensor<float> values,
                  cudaStream_t stream);
void rotate_back_async(std::size_t block, const SignKey& signs, Tensor<float> values,
                       cudaStream_t stream);

// encode_rotated and decode_reduce_rotated of the formats in the registry, in one pass. Wires whose
// signs differ sum up to NaNs.
void encode_rotated_async(const Format& format, Tensor<const float> values, const Encoding& to,
                          cudaStream_t stream);
void encode_rotated_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                          cudaStream_t stream);
void decode_reduce_rotated_async(const Format& format, const Wires& wires, Tensor<float> sums,
                                 cudaStream_t stream);

}  // namespace codecs::cuda
