// SPDX-License-Identifier: Apache-2.0
// C functions over the launchers that SDP4Bit's quantization.h declares. Elements are those of one
// wire; their launchers count bytes of payload.
#include <quantization.h>

namespace {

constexpr auto kSymmetric = quantize::Type::Symmetric;
constexpr int kNodes = 4, kGpus = 8;  // of the swizzled encode

int narrow(long long number) { return static_cast<int>(number); }

}  // namespace

extern "C" {

void encode(const float* values, int8_t* codes, float* scales, long long elements, long long group,
            long long bits, long long hadamard, cudaStream_t stream) {
  const auto launch = [&](auto... arguments) {
    hadamard != 0 ? launch_quant_ht(arguments...) : launch_quant(arguments...);
  };
  launch(codes, scales, values, narrow(elements / group), narrow(group), narrow(bits), kSymmetric,
         stream);
}

void swizzled(const float* values, int8_t* codes, float* scales, long long elements,
              long long group, long long bits, long long hadamard, cudaStream_t stream) {
  const auto launch = [&](auto... arguments) {
    hadamard != 0 ? launch_swizzled_quant_ht(arguments...) : launch_swizzled_quant(arguments...);
  };
  launch(codes, scales, values, narrow(bits), kSymmetric, narrow(elements / group), narrow(group),
         1, kNodes, kGpus, stream);
}

void decode(const int8_t* codes, const float* scales, float* values, long long elements,
            long long group, long long bits, cudaStream_t stream) {
  launch_dequantize_kernel(values, codes, scales, kSymmetric, narrow(bits), narrow(group),
                           static_cast<int64_t>(elements), stream);
}

void reduce(const int8_t* codes, const float* scales, float* sums, long long elements,
            long long group, long long bits, long long hadamard, long long inputs,
            cudaStream_t stream) {
  const int groups = narrow(elements / group), group_bytes = narrow(group * bits / 8);
  const auto launch = [&](auto... arguments) {
    hadamard != 0 ? launch_dequant_reduce_ht(arguments...) : launch_dequant_reduce(arguments...);
  };
  launch(sums, codes, scales, narrow(inputs), narrow(bits), kSymmetric, groups, narrow(group * 4),
         static_cast<int64_t>(elements * bits / 8), groups, group_bytes, stream);
}

void reduce_encode(const int8_t* codes, const float* scales, int8_t* out, float* out_scales,
                   long long elements, long long group, long long bits, long long out_bits,
                   long long inputs, cudaStream_t stream) {
  const int groups = narrow(elements / group);
  launch_dequant_reduce_quant(out, out_scales, codes, scales, narrow(inputs), narrow(bits),
                              narrow(out_bits), kSymmetric, groups, narrow(group * out_bits / 8),
                              static_cast<int64_t>(elements * bits / 8), groups,
                              narrow(group * bits / 8), stream);
}

}  // extern "C"
