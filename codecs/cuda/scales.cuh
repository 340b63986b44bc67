// SPDX-License-Identifier: Apache-2.0
// Scales of groups on the GPU: the arithmetic of codecs/group/group.hpp, operation by operation.
#pragma once

#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

#include "codecs/cuda/elements.cuh"
#include "codecs/group/group.hpp"

namespace codecs::cuda {

// What a group's scale is computed from.
struct GroupStatistics {
  std::uint32_t amax_bits = 0;  // of the largest magnitude; NaNs are above infinity
  float low = 0;                // of the offset grid alone
  float high = 0;
  float squares = 0;  // their sum; of the norm alone
};

// What is the same for all groups of a tensor.
struct ScaleRule {
  float largest = 1;  // code of the grid
  float inverse = 1;  // 1 / largest
  float factor = 1;   // of what is stored: decoded is factor times encoded
  Scale scale = Scale::amax;
  const std::uint32_t* tensor_amax = nullptr;  // bits; of scales that are the whole tensor's
};

template <Coding kCoding>
struct StoredScale {
  using Type = float;
};
template <>
struct StoredScale<Coding::offset> {
  using Type = float2;  // step, minimum
};
template <>
struct StoredScale<Coding::reciprocal> {
  using Type = float2;  // multiplier, 0
};
template <>
struct StoredScale<Coding::e8m0> {
  using Type = std::uint8_t;
};
template <>
struct StoredScale<Coding::nested> {
  using Type = std::uint8_t;
};
template <Coding kCoding>
using Stored = typename StoredScale<kCoding>::Type;

template <Coding kCoding>
struct GroupScale {
  float multiply = 0;  // codes per unit; 0: the group's codes are all 0
  float offset = 0;
  Stored<kCoding> stored = {};
};

// magnitude / rule.largest, correctly rounded, from a third of a division's instructions where the
// quotient is not denormal: then the remainder is exact (Markstein, IBM J. Res. Dev. 34, 1990).
__device__ inline float over_largest(float magnitude, const ScaleRule& rule) {
  const float near = magnitude * rule.inverse;
  if (near < 0x1p-125f) return __fdiv_rn(magnitude, rule.largest);
  return __fmaf_rn(__fmaf_rn(-near, rule.largest, magnitude), rule.inverse, near);
}

// A grid whose largest code stands for `magnitude`. A magnitude so small that the scale or its
// reciprocal would lose digits is a group of zeros.
struct Proportion {
  float multiply = 0;
  float step = 0;
};
__device__ inline Proportion proportion(float magnitude, const ScaleRule& rule) {
  const float multiply = __fdiv_rn(rule.largest, magnitude);
  if (magnitude < kTinyGroup || multiply > FLT_MAX) return {};
  return {multiply, over_largest(magnitude, rule) * rule.factor};
}

template <Coding kCoding>
__device__ GroupScale<kCoding> float_scale(std::uint32_t bits, const ScaleRule& rule) {
  if (bits >= kInfinityBits) return {.stored = __uint_as_float(kNaNScale)};
  const Proportion grid = proportion(__uint_as_float(bits), rule);
  return {.multiply = grid.multiply, .stored = grid.step};
}

__device__ inline GroupScale<Coding::offset> offset_scale(const GroupStatistics& group,
                                                          const ScaleRule& rule) {
  const float range = group.high - group.low;
  if (group.amax_bits >= kInfinityBits || range > FLT_MAX) {
    const float nan = __uint_as_float(kNaNScale);
    return {.stored = make_float2(nan, nan)};
  }
  const Proportion grid = proportion(range, rule);
  return {.multiply = grid.multiply,
          .offset = group.low,
          .stored = make_float2(grid.step, group.low * rule.factor)};
}

// Device code may not call functions of the host, even at compile time.
template <Element kElement>
inline constexpr float kReciprocalLargest = reciprocal_largest(kElement);
template <Element kElement>
inline constexpr float kReciprocalUnit = reciprocal_unit(kElement);

template <Element kElement>
__device__ GroupScale<Coding::reciprocal> reciprocal_scale(std::uint32_t bits,
                                                           const ScaleRule& rule) {
  if (bits >= kInfinityBits) return {.stored = make_float2(__uint_as_float(kNaNScale), 0)};
  const float multiply =
      __fdiv_rn(kReciprocalLargest<kElement>, kReciprocalEpsilon + __uint_as_float(bits));
  return {.multiply = multiply * (1 / kReciprocalUnit<kElement>),
          .stored = make_float2(__fdiv_rn(multiply, rule.factor), 0)};
}

// Exponent of the largest value of the element, and digits of its mantissa.
template <Element kElement>
inline constexpr int kTopExponent = kElement == Element::e4m3   ? 8
                                    : kElement == Element::e5m2 ? 15
                                                                : 2;
template <Element kElement>
inline constexpr int kMantissaBits = kElement == Element::e4m3   ? 3
                                     : kElement == Element::e5m2 ? 2
                                                                 : 1;

// Floats of the exponent bytes 0 to 254: 2^(byte - 127), of which 2^-127 is denormal.
__device__ inline float e8m0_value(unsigned byte) {
  return __uint_as_float(byte == 0 ? 0x00400000u : byte << 23);
}

template <Element kElement>
__device__ GroupScale<Coding::e8m0> e8m0_scale(std::uint32_t bits, const ScaleRule& rule) {
  if (bits >= kInfinityBits) return {.stored = 255};
  if (bits == 0) return {};
  const float amax = __uint_as_float(bits) * rule.factor;
  int byte = 0;
  if (rule.scale == Scale::e8m0_ceil) {
    byte = static_cast<int>((__float_as_uint(__fdiv_rn(amax, rule.largest)) + 0x7FFFFFu) >> 23);
  } else {
    const unsigned half = 1u << (22 - kMantissaBits<kElement>);
    const unsigned rounded = __float_as_uint(amax) + (rule.scale == Scale::e8m0_even ? half : 0u);
    byte = static_cast<int>(rounded >> 23) - kTopExponent<kElement>;
  }
  byte = max(0, min(byte, 254));
  return {.multiply = e8m0_value(static_cast<unsigned>(254 - byte)) * rule.factor,
          .stored = static_cast<std::uint8_t>(byte)};
}

__device__ inline float e4m3_value(unsigned code) {
  const __half half(__nv_cvt_fp8_to_halfraw(static_cast<__nv_fp8_storage_t>(code), __NV_E4M3));
  return __half2float(half);
}

// float32 scale of the tensor under which the groups' E4M3 scales stand (NVFP4): what multiplies
// values, and what is stored for the decoder.
struct TensorScale {
  float multiply = 1;
  float stored = 1;
};
__device__ inline TensorScale tensor_scale(std::uint32_t bits, const ScaleRule& rule) {
  if (bits >= kInfinityBits) return {0, __uint_as_float(kNaNScale)};
  const float amax = __uint_as_float(bits);
  const float multiply = bits == 0 ? 1.0f : fminf(__fdiv_rn(448.0f * 6.0f, amax), FLT_MAX);
  return {multiply, __fdiv_rn(1.0f, multiply) * rule.factor};
}

__device__ inline GroupScale<Coding::nested> nested_scale(std::uint32_t bits, float tensor) {
  if (tensor == 0) return {};
  const float scale = __fdiv_rn(__uint_as_float(bits), 6.0f) * tensor;
  const auto code = __nv_cvt_float_to_fp8(scale, __NV_SATFINITE, __NV_E4M3);
  const float value = e4m3_value(code);
  const float multiply = value == 0 ? 0.0f : __fdiv_rn(tensor, value);
  return {.multiply = multiply > FLT_MAX ? 0.0f : multiply, .stored = code};
}

template <Element kElement, Coding kCoding>
__device__ auto group_scale(const GroupStatistics& group, const ScaleRule& rule) {
  if constexpr (kCoding == Coding::offset) {
    return offset_scale(group, rule);
  } else if constexpr (kCoding == Coding::e8m0) {
    return e8m0_scale<kElement>(group.amax_bits, rule);
  } else if constexpr (kCoding == Coding::nested) {
    return nested_scale(group.amax_bits, tensor_scale(*rule.tensor_amax, rule).multiply);
  } else if constexpr (kCoding == Coding::reciprocal) {
    return reciprocal_scale<kElement>(
        rule.tensor_amax != nullptr ? *rule.tensor_amax : group.amax_bits, rule);
  } else if constexpr (kCoding == Coding::norm) {
    const std::uint32_t norm = __float_as_uint(__fsqrt_rn(group.squares));
    return float_scale<kCoding>(max(norm, group.amax_bits >= kInfinityBits ? kInfinityBits : 0u),
                                rule);
  } else {
    return float_scale<kCoding>(rule.tensor_amax != nullptr ? *rule.tensor_amax : group.amax_bits,
                                rule);
  }
}

// What a decoder multiplies codes by and adds.
struct Step {
  float step = 0;
  float minimum = 0;
};
template <Element kElement, Coding kCoding>
__device__ Step decoded_step(Stored<kCoding> stored, float tensor) {
  if constexpr (kCoding == Coding::offset) {
    return {stored.x, stored.y};
  } else if constexpr (kCoding == Coding::e8m0) {
    return {stored == 255 ? __uint_as_float(kNaNScale) : e8m0_value(stored), 0};
  } else if constexpr (kCoding == Coding::nested) {
    return {e4m3_value(stored) * tensor, 0};
  } else if constexpr (kCoding == Coding::reciprocal) {
    return {__fdiv_rn(kReciprocalUnit<kElement>, stored.x), 0};
  } else {
    return {stored, 0};
  }
}

// x += decoded codes.
template <Element kElement, Coding kCoding>
__device__ void add_codes(const Packed<kElement>& codes, const Step& step,
                          float (&x)[kLaneElements]) {
  float v[kLaneElements];
  unpack_codes<kElement, kCoding>(codes, v);
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    if constexpr (kCoding == Coding::offset) {
      x[i] += __fmaf_rn(v[i], step.step, step.minimum);
    } else {
      x[i] = __fmaf_rn(v[i], step.step, x[i]);
    }
  }
}

}  // namespace codecs::cuda
