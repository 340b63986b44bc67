// SPDX-License-Identifier: Apache-2.0
// CUDA kernel of LoCo; codecs/cuda/kernels.hpp states the contract of all launchers. One pass:
// reads values and the residual's codes and scales, writes wire and residual. Supports INT8 and
// INT4 on either symmetric grid, rounded to nearest, or stochastically on the plain grid, in groups
// of a power of two from 16 to 2048.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"
#include "codecs/loco/loco.hpp"

namespace codecs::cuda {

// `residual` is read and written.
void encode_loco_async(const Loco& loco, Tensor<const float> values, std::byte* residual,
                       const Encoding& to, cudaStream_t stream);
void encode_loco_async(const Loco& loco, Tensor<const Bf16> values, std::byte* residual,
                       const Encoding& to, cudaStream_t stream);

}  // namespace codecs::cuda
