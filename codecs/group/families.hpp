// The encodes of codecs/group/kernels.hpp by family, each a file of its own: they compile in
// parallel.
#pragma once

#include "codecs/bf16/bf16.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

enum class Family {
  integers,  // symmetric
  shifted,   // integers whose grid is not symmetric: amax_full, min_max
  floats,    // FP8, MX, NVFP4
  plain      // tables, and integers under a norm
};
[[nodiscard]] Family family_of(const Format& format);

void encode_integers_async(const Format& format, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream);
void encode_integers_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                           cudaStream_t stream);
void encode_shifted_async(const Format& format, Tensor<const float> values, const Encoding& to,
                          cudaStream_t stream);
void encode_shifted_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                          cudaStream_t stream);
void encode_floats_async(const Format& format, Tensor<const float> values, const Encoding& to,
                         cudaStream_t stream);
void encode_floats_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                         cudaStream_t stream);
void encode_plain_async(const Format& format, Tensor<const float> values, const Encoding& to,
                        cudaStream_t stream);
void encode_plain_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                        cudaStream_t stream);

}  // namespace codecs::cuda
