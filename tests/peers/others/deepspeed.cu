// SPDX-License-Identifier: Apache-2.0
// C functions over the launchers that DeepSpeed's quantization.h declares. Elements are those of
// one wire; their launchers count bytes of payload.
#include <quantization.h>

namespace {

constexpr auto kSymmetric = quantize::Type::Symmetric;

int narrow(long long number) { return static_cast<int>(number); }

}  // namespace

extern "C" {

void encode(const __half* values, int8_t* codes, float* scales, long long elements, long long group,
            long long bits, cudaStream_t stream) {
  launch_quant(codes, scales, values, narrow(elements / group), narrow(group), narrow(bits),
               kSymmetric, stream);
}

void decode(const int8_t* codes, const float* scales, __half* values, long long elements,
            long long group, long long bits, cudaStream_t stream) {
  launch_dequantize_kernel(values, codes, scales, kSymmetric, narrow(bits), narrow(group),
                           narrow(elements), stream);
}

void reduce_encode(const int8_t* codes, const float* scales, int8_t* out, float* out_scales,
                   long long elements, long long group, long long bits, long long inputs,
                   cudaStream_t stream) {
  const int groups = narrow(elements / group), group_bytes = narrow(group * bits / 8);
  launch_dequant_reduce(out, out_scales, codes, scales, narrow(inputs), narrow(bits), kSymmetric,
                        groups, group_bytes, narrow(elements * bits / 8), groups, group_bytes,
                        stream);
}

}  // extern "C"
