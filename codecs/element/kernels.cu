// SPDX-License-Identifier: Apache-2.0
// Casts of single values, by warps that take tiles of values as in codecs/cuda/lane.cuh.
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
using Code = typename Cast<kElement>::Code;
template <Element kElement>
inline constexpr int kCodesPerWord = 4 / static_cast<int>(sizeof(Code<kElement>));

__device__ std::size_t first_tile() {
  return (std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes) * kTileElements;
}

// The codes of a lane. Of bytes a lane's 16 are one vector.
template <Element kElement>
__device__ void store_codes(const unsigned (&words)[kLaneElements / kCodesPerWord<kElement>],
                            std::size_t elements, std::size_t tile, Code<kElement>* wire) {
  if constexpr (sizeof(Code<kElement>) == 2) {
    uint4 vectors[] = {make_uint4(words[0], words[1], words[2], words[3]),
                       make_uint4(words[4], words[5], words[6], words[7])};
    store_vectors(vectors, elements, tile, wire);
  } else {
    const std::size_t first = tile + threadIdx.x % kWarpLanes * kLaneElements;
    if (first + kLaneElements <= elements) {
      *reinterpret_cast<uint4*>(wire + first) = packed(words);
      return;
    }
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      if (first + i < elements) {
        wire[first + i] = static_cast<Code<kElement>>(words[i / 4] >> (i % 4 * 8));
      }
    }
  }
}

// Zeros beyond the end.
template <Element kElement>
__device__ void load_codes(const Code<kElement>* wire, std::size_t elements, std::size_t tile,
                           unsigned (&codes)[kLaneElements]) {
  if constexpr (sizeof(Code<kElement>) == 2) {
    float x[kLaneElements];
    load_lane(reinterpret_cast<const Bf16*>(wire), elements, tile, x);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) codes[i] = __float_as_uint(x[i]) >> 16;
  } else {
    const std::size_t first = tile + threadIdx.x % kWarpLanes * kLaneElements;
    uint4 vector = {};
    const bool whole = first + kLaneElements <= elements;
    if (whole) vector = *reinterpret_cast<const uint4*>(wire + first);
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      codes[i] = word_of(vector, i / 4) >> (i % 4 * 8) & 0xFFu;
      if (!whole && first + i < elements) codes[i] = wire[first + i];
    }
  }
}

template <Element kElement, typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    encode_elements_kernel(Tensor<const Value> values, Draw draw, EncodeOutput output) {
  constexpr int kPerWord = kCodesPerWord<kElement>;
  const std::size_t tile = first_tile();
  if (tile >= values.elements) return;
  float x[kLaneElements];
  load_lane(values.values, values.elements, tile, x);
  uint4 random = {};
  if constexpr (kElement == Element::power_of_two) {
    const std::size_t first = tile + threadIdx.x % kWarpLanes * kLaneElements;
    random = draw_block(draw, draw.first_block + first / kElementsPerDraw);
  }
  unsigned words[kLaneElements / kPerWord] = {};
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    const unsigned code = Cast<kElement>::encode(x[i], random, i);
    words[i / kPerWord] |= code << (i % kPerWord * (32 / kPerWord));
  }
  if (magnitude_bits(x) >= kInfinityBits && output.nonfinite != nullptr) *output.nonfinite = 1;
  store_codes<kElement>(words, values.elements, tile,
                        reinterpret_cast<Code<kElement>*>(output.wires));
}

template <Element kElement>
__global__ void __launch_bounds__(kThreadsPerBlock)
    decode_elements_kernel(const std::byte* wire, Tensor<float> values) {
  const std::size_t tile = first_tile();
  if (tile >= values.elements) return;
  unsigned codes[kLaneElements];
  load_codes<kElement>(reinterpret_cast<const Code<kElement>*>(wire), values.elements, tile, codes);
  float x[kLaneElements];
#pragma unroll
  for (int i = 0; i < kLaneElements; ++i) {
    x[i] = Cast<kElement>::decode(static_cast<Code<kElement>>(codes[i]));
  }
  store_lane(x, values.elements, tile, values.values);
}

template <typename Launch>
void with_element(Element element, Launch launch) {
  if (element == Element::fp16) return launch.template operator()<Element::fp16>();
  require(element == Element::power_of_two, "no CUDA kernel casts to this element");
  launch.template operator()<Element::power_of_two>();
}

template <typename Value>
void encode_elements(const Format& format, Tensor<const Value> values, const Encoding& to,
                     cudaStream_t stream) {
  if (values.elements == 0) return;
  with_element(format.element, [&]<Element kElement>() {
    launch(encode_elements_kernel<kElement, Value>,
           {.blocks = blocks_for(values.elements, kTileElements), .stream = stream}, values,
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
           {.blocks = blocks_for(values.elements, kTileElements), .stream = stream}, wire, values);
  });
}

}  // namespace codecs::cuda
