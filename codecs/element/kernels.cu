// SPDX-License-Identifier: Apache-2.0
// Casts of single values, by warps that take tiles of values as in codecs/cuda/lane.cuh.
#include <cuda_fp16.h>

#include <cfloat>

#include "codecs/cuda/launch.cuh"
#include "codecs/element/element.hpp"
#include "codecs/element/kernels.hpp"

namespace codecs::cuda {
namespace {

// A word of codes, and its values.
template <Element kElement>
struct Cast;

template <>
struct Cast<Element::fp16> {
  using Code = std::uint16_t;
  __device__ static unsigned encode(const float* x, unsigned) {
    const __half2_raw pair = __floats2half2_rn(x[0], x[1]);
    return pair.x | static_cast<unsigned>(pair.y) << 16;
  }
  __device__ static void decode(unsigned word, float* x) {
    x[0] = __half2float(__ushort_as_half(static_cast<Code>(word)));
    x[1] = __half2float(__ushort_as_half(static_cast<Code>(word >> 16)));
  }
};

template <>
struct Cast<Element::power_of_two> {
  using Code = std::uint8_t;

  // In units of twice the largest value, which saturate there, a float's exponent is the code plus 1.
  // What is less than the smallest value becomes it, which is code 0, and what is not finite becomes
  // 2. In the upper half is the code, followed by 8 bits of the mantissa for random bits to carry.
  __device__ static unsigned fixed_code(float value) {
    constexpr float kUnit = 1.0f / static_cast<float>(1 << (126 - kPowerOfTwoBias));
    const float magnitude = fmaxf(__saturatef(fabsf(value) * kUnit), FLT_MIN);
    const float code = fminf(__fmaf_rn(value, 0, magnitude), 2);  // fminf() drops NaNs
    return __float_as_uint(code) * 2 + 0x8000u - 0x01000000u;
  }

  // Halves of words are added at once, as by carried() in codecs/cuda/pack.cuh.
  __device__ static unsigned encode(const float* x, unsigned random) {
    const unsigned even = __byte_perm(fixed_code(x[0]), fixed_code(x[2]), 0x7632u);
    const unsigned odd = __byte_perm(fixed_code(x[1]), fixed_code(x[3]), 0x7632u);
    const unsigned codes =
        __byte_perm(even + (random & 0x00FF00FFu), odd + __byte_perm(random, 0, 0x4341u), 0x7351u);
    const auto bits = [&](int i) { return __float_as_uint(x[i]); };
    return codes | (highest_bytes(bits(0), bits(1), bits(2), bits(3)) & 0x80808080u);
  }

  // A code is the exponent of a bfloat16, two at once.
  __device__ static void decode(unsigned word, float* x) {
    const unsigned even = (word << 8 & 0x80008000u) | (word << 7 & 0x3F803F80u);
    const unsigned odd = (word & 0x80008000u) | (word >> 1 & 0x3F803F80u);
    const unsigned bits[] = {even << 16, odd << 16, even & 0xFFFF0000u, odd & 0xFFFF0000u};
    constexpr auto kUnit = static_cast<float>(1 << (127 - kPowerOfTwoBias));
    static_assert(kPowerOfTwoNaN == 127, "the exponent of 1");
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float power = __uint_as_float(bits[i]);
      x[i] = fabsf(power) < 1 ? power * kUnit : __uint_as_float(kNaNScale);
    }
  }
};

template <Element kElement>
using Code = typename Cast<kElement>::Code;
template <Element kElement>
inline constexpr int kCodesPerWord = 4 / static_cast<int>(sizeof(Code<kElement>));
template <Element kElement>
inline constexpr int kWords = kLaneElements / kCodesPerWord<kElement>;

__device__ std::size_t first_tile() {
  return (std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes) * kTileElements;
}

// The codes of a lane. Of bytes a lane's 16 are one vector.
template <Element kElement>
__device__ void store_codes(const unsigned (&words)[kWords<kElement>], std::size_t elements,
                            std::size_t tile, Code<kElement>* wire) {
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
                           unsigned (&words)[kWords<kElement>]) {
  const unsigned lane = threadIdx.x % kWarpLanes;
  if constexpr (sizeof(Code<kElement>) == 2) {
    auto fetched = fetch_lane<false>(reinterpret_cast<const Bf16*>(wire), elements, tile);
    exchange(fetched.vectors);
#pragma unroll
    for (int w = 0; w < kWords<kElement>; ++w) words[w] = word_of(fetched.vectors[w / 4], w % 4);
  } else {
    const std::size_t first = tile + lane * kLaneElements;
    if (first + kLaneElements <= elements) {
      const uint4 vector = *reinterpret_cast<const uint4*>(wire + first);
#pragma unroll
      for (int w = 0; w < 4; ++w) words[w] = word_of(vector, w);
      return;
    }
#pragma unroll
    for (int w = 0; w < 4; ++w) words[w] = 0;
#pragma unroll
    for (int i = 0; i < kLaneElements; ++i) {
      if (first + i < elements) words[i / 4] |= unsigned{wire[first + i]} << (i % 4 * 8);
    }
  }
}

template <Element kElement, typename Value>
__global__ void __launch_bounds__(kThreadsPerBlock)
    encode_elements_kernel(Tensor<const Value> values, Draw draw, EncodeOutput output) {
  const std::size_t tile = first_tile();
  if (tile >= values.elements) return;
  float x[kLaneElements];
  load_lane(values.values, values.elements, tile, x);
  uint4 random = {};
  if constexpr (kElement == Element::power_of_two) {
    const std::size_t first = tile + threadIdx.x % kWarpLanes * kLaneElements;
    random = draw_block(draw, draw.first_block + first / kElementsPerDraw);
  }
  unsigned words[kWords<kElement>];
#pragma unroll
  for (int w = 0; w < kWords<kElement>; ++w) {
    words[w] = Cast<kElement>::encode(x + w * kCodesPerWord<kElement>, word_of(random, w % 4));
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
  unsigned words[kWords<kElement>];
  load_codes<kElement>(reinterpret_cast<const Code<kElement>*>(wire), values.elements, tile, words);
  float x[kLaneElements];
#pragma unroll
  for (int w = 0; w < kWords<kElement>; ++w) {
    Cast<kElement>::decode(words[w], x + w * kCodesPerWord<kElement>);
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
