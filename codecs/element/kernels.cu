// SPDX-License-Identifier: Apache-2.0
// A thread makes or reads one vector of 16 bytes of codes.
#include <cuda_fp16.h>

#include "codecs/cuda/launch.cuh"
#include "codecs/element/element.hpp"
#include "codecs/element/kernels.hpp"

namespace codecs::cuda {
namespace {

template <Element kElement>
struct Cast;

template <>
struct Cast<Element::fp16> {
  using Code = std::uint16_t;
  __device__ static Code encode(float value, const uint4&, int) {
    return __half_as_ushort(__float2half_rn(value));
  }
  __device__ static float decode(Code code) { return __half2float(__ushort_as_half(code)); }
};

template <>
struct Cast<Element::power_of_two> {
  using Code = std::uint8_t;
  // The mantissa rounded to 8 bits, plus the random byte: what carries goes to the exponent.
  __device__ static Code encode(float value, const uint4& random, int e) {
    const unsigned bits = __float_as_uint(value);
    const unsigned sign = bits >> 31 << 7;
    if (magnitude_bits(value) >= kInfinityBits) return static_cast<Code>(sign | kPowerOfTwoNaN);
    const unsigned up = (random_byte(random, e) << 15) + 0x4000u;
    const int code = static_cast<int>((magnitude_bits(value) + up) >> 23) - 127 + kPowerOfTwoBias;
    return static_cast<Code>(sign | static_cast<unsigned>(max(0, min(code, 126))));
  }
  __device__ static float decode(Code code) {
    const unsigned k = code & 0x7Fu, sign = (code & 0x80u) << 24;
    if (k == kPowerOfTwoNaN) return __uint_as_float(kNaNScale);
    return __uint_as_float(sign | (k == 0 ? 0u : (k + 127 - kPowerOfTwoBias) << 23));
  }
};

template <Element kElement>
inline constexpr int kPerThread = 16 / static_cast<int>(sizeof(typename Cast<kElement>::Code));

template <Element kElement>
__device__ std::size_t first_of_thread() {
  return (std::size_t{blockIdx.x} * kThreadsPerBlock + threadIdx.x) * kPerThread<kElement>;
}

template <Element kElement, typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    encode_elements_kernel(Tensor<const Value> values, Draw draw, EncodeOutput output) {
  using Code = typename Cast<kElement>::Code;
  constexpr int kCount = kPerThread<kElement>;
  const std::size_t first = first_of_thread<kElement>();
  if (first >= values.elements) return;
  uint4 random = {};
  if constexpr (kElement == Element::power_of_two) {
    random = draw_block(draw, draw.first_block + first / kElementsPerDraw);
  }
  constexpr int kPerWord = 4 / static_cast<int>(sizeof(Code));
  constexpr int kBits = 8 * static_cast<int>(sizeof(Code));
  unsigned words[4] = {};
  bool finite = true;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const float value = first + i < values.elements ? as_float(values.values[first + i]) : 0.0f;
    finite &= magnitude_bits(value) < kInfinityBits;
    const unsigned code = Cast<kElement>::encode(value, random, i);
    words[i / kPerWord] |= code << (i % kPerWord * kBits);
  }
  if (!finite && output.nonfinite != nullptr) *output.nonfinite = 1;
  Code* const wire = reinterpret_cast<Code*>(output.wires) + first;
  if (first + kCount <= values.elements) {
    *reinterpret_cast<uint4*>(wire) = packed(words);
    return;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if (first + i >= values.elements) break;
    wire[i] = static_cast<Code>(words[i / kPerWord] >> (i % kPerWord * kBits));
  }
}

template <Element kElement>
__global__ void __launch_bounds__(kThreadsPerBlock)
    decode_elements_kernel(const std::byte* wire, Tensor<float> values) {
  using Code = typename Cast<kElement>::Code;
  const std::size_t first = first_of_thread<kElement>();
  const Code* const codes = reinterpret_cast<const Code*>(wire);
#pragma unroll
  for (int i = 0; i < kPerThread<kElement>; ++i) {
    if (first + i < values.elements) {
      values.values[first + i] = Cast<kElement>::decode(codes[first + i]);
    }
  }
}

template <typename Launch>
void with_element(Element element, Launch launch) {
  if (element == Element::fp16) return launch.template operator()<Element::fp16>();
  require(element == Element::power_of_two, "no CUDA kernel casts to this element");
  launch.template operator()<Element::power_of_two>();
}

template <Element kElement>
unsigned element_blocks(std::size_t elements) {
  return blocks_for(elements, std::size_t{kWarpLanes} * kPerThread<kElement>);
}

template <typename Value>
void encode_elements(const Format& format, Tensor<const Value> values, const Encoding& to,
                     cudaStream_t stream) {
  if (values.elements == 0) return;
  with_element(format.element, [&]<Element kElement>() {
    launch(encode_elements_kernel<kElement, Value>,
           {.blocks = element_blocks<kElement>(values.elements), .stream = stream}, values,
           draw_of(to.key), EncodeOutput{to.wires, to.nonfinite});
  });
}

}  // namespace

void encode_elements_async(const Format& format, Tensor<const float> values, const Encoding& to,
                           cudaStream_t stream) {
  encode_elements(format, values, to, stream);
}
void encode_elements_async(const Format& format, Tensor<const Bf16> values, const Encoding& to,
                           cudaStream_t stream) {
  encode_elements(format, values, to, stream);
}

void decode_elements_async(const Format& format, const std::byte* wire, Tensor<float> values,
                           cudaStream_t stream) {
  if (values.elements == 0) return;
  with_element(format.element, [&]<Element kElement>() {
    launch(decode_elements_kernel<kElement>,
           {.blocks = element_blocks<kElement>(values.elements), .stream = stream}, wire, values);
  });
}

}  // namespace codecs::cuda
