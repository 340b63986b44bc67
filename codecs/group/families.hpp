// SPDX-License-Identifier: Apache-2.0
// The encodes of codecs/group/kernels.hpp by family, each in its own file so that they compile in
// parallel.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

enum class Family {
  integers,  // symmetric
  shifted,   // integers on asymmetric grids: amax_full, min_max
  floats,    // FP8, MX, NVFP4
  plain      // tables, and integers scaled by a norm
};
[[nodiscard]] Family family_of(const Format& format);

// For float and Bf16.
template <typename Value>
void encode_integers_async(const Format& format, Tensor<const Value> values, const Encoding& to,
                           cudaStream_t stream);
template <typename Value>
void encode_shifted_async(const Format& format, Tensor<const Value> values, const Encoding& to,
                          cudaStream_t stream);
template <typename Value>
void encode_floats_async(const Format& format, Tensor<const Value> values, const Encoding& to,
                         cudaStream_t stream);
template <typename Value>
void encode_plain_async(const Format& format, Tensor<const Value> values, const Encoding& to,
                        cudaStream_t stream);

}  // namespace codecs::cuda
