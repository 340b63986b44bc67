// SPDX-License-Identifier: Apache-2.0
// The transform of codecs/hadamard/hadamard.hpp, in its order of additions.
HWY_BEFORE_NAMESPACE();
namespace codecs::cpu::HWY_NAMESPACE {
namespace {

constexpr std::size_t kBlockVectors = kHadamardBlock / kLanes;

// (a, b) -> (a + b, a - b) of lanes whose partners `swapped` holds; `minus` has the sign of b's.
HWY_INLINE Float butterfly(Float values, Float swapped, Float minus) {
  return hn::Add(swapped, hn::Xor(values, minus));
}

// Signs of the lanes i of which bit `stride` is set.
Float minus_of(std::size_t stride) {
  HWY_ALIGN float signs[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) signs[i] = (i & stride) != 0 ? -0.0f : 0.0f;
  return hn::Load(Floats(), signs);
}

HWY_INLINE void transform_block(float* values, Float minus1, Float minus2, Float minus4) {
  Float x[kBlockVectors];
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kBlockVectors; ++i) {
    Float v = load(values + i * kLanes);
    v = butterfly(v, hn::Shuffle2301(v), minus1);
    v = butterfly(v, hn::Shuffle1032(v), minus2);
    if constexpr (kLanes == 8) v = butterfly(v, hn::ConcatLowerUpper(Floats(), v, v), minus4);
    x[i] = v;
  }
#pragma GCC unroll 3
  for (std::size_t stride = 1; stride < kBlockVectors; stride *= 2) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kBlockVectors; ++i) {
      if ((i & stride) != 0) continue;
      const Float a = x[i], b = x[i + stride];
      x[i] = hn::Add(a, b);
      x[i + stride] = hn::Sub(a, b);
    }
  }
#pragma GCC unroll 8
  for (std::size_t i = 0; i < kBlockVectors; ++i) store(x[i], values + i * kLanes);
}

// Whole blocks, in place.
void transform(float* values, std::size_t count) {
  const Float minus1 = minus_of(1), minus2 = minus_of(2), minus4 = minus_of(4);
  for (std::size_t i = 0; i < count; i += kHadamardBlock) {
    transform_block(values + i, minus1, minus2, minus4);
  }
}

}  // namespace
}  // namespace codecs::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
