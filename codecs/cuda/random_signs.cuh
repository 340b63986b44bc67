// SPDX-License-Identifier: Apache-2.0
// The random signs of codecs/rotation/rotation.hpp, and the key on the wire that they come from.
#pragma once

#include "codecs/cuda/random.cuh"
#include "codecs/cuda/rotate.cuh"

namespace codecs::cuda {

// A SignKey as on the wire.
struct Signs {
  std::uint32_t key0 = 0;
  std::uint32_t key1 = 0;
  std::uint64_t first_element = 0;
};

inline Signs signs_of(const SignKey& key) { return {key.key[0], key.key[1], key.first_element}; }

// Elements of the first draw before those of the block of threads, which begin at `first`: a
// multiple of 16.
__device__ inline unsigned skipped_signs(const Signs& signs, std::size_t first) {
  return static_cast<unsigned>((signs.first_element + first) % kSignsPerDraw);
}

// The random words for the elements of the block of threads, which begins at `first`. To be read
// after __syncthreads(). The last draw is for what the first one skips.
template <typename Tile>
__device__ void draw_signs(const Signs& signs, std::size_t first, uint4* draws) {
  const std::uint64_t draw = (signs.first_element + first) / kSignsPerDraw;
  if (threadIdx.x >= Tile::kDraws) return;
  if (threadIdx.x == Tile::kDraws - 1 && skipped_signs(signs, first) == 0) return;
  draws[threadIdx.x] = draw_block({.key0 = signs.key0, .key1 = signs.key1}, draw + threadIdx.x);
}

// Bit k for value k, where bit i is element i's.
template <int kMask>
__device__ std::uint32_t in_order(std::uint32_t bits, Order<kMask> order) {
  if constexpr ((kMask & 8) != 0) {
    bits = __byte_perm(bits, 0, (order.flip & 8) != 0 ? 0x2301u : 0x3210u);
  }
  if constexpr ((kMask & 4) != 0) {
    const std::uint32_t swapped = (bits >> 4 & 0x0F0F0F0Fu) | (bits << 4 & 0xF0F0F0F0u);
    bits = (order.flip & 4) != 0 ? swapped : bits;
  }
  return bits;
}

// Multiplies values that are held from bit 0, in this order, by their signs.
template <typename Tile, int kMask = 0>
__device__ void flip_signs(float (&x)[Tile::kHeld], const Signs& signs, std::size_t first,
                           const uint4* draws, Order<kMask> order = {}) {
  const unsigned at = skipped_signs(signs, first) + threadIdx.x * Tile::kHeld;
  const auto* const words = reinterpret_cast<const std::uint32_t*>(draws) + at / 32;
#pragma unroll
  for (int begin = 0; begin < Tile::kHeld; begin += 32) {
    // 16 neighbours do not lie across words.
    const std::uint32_t bits = in_order(
        Tile::kHeld == 16 ? words[0] >> (at % 32)
                          : __funnelshift_r(words[begin / 32], words[begin / 32 + 1], at % 32),
        order);
#pragma unroll
    for (int k = 0; k < 32 && k < Tile::kHeld; ++k) {
      x[begin + k] = (bits & 1u << k) != 0 ? -x[begin + k] : x[begin + k];
    }
  }
}

__device__ inline Signs load_signs(const std::byte* wire) {
  const uint4 header = __ldg(reinterpret_cast<const uint4*>(wire));
  return {header.x, header.y, std::uint64_t{header.w} << 32 | header.z};
}

__device__ inline void store_signs(const Signs& signs, std::byte* wire) {
  *reinterpret_cast<uint4*>(wire) =
      make_uint4(signs.key0, signs.key1, static_cast<std::uint32_t>(signs.first_element),
                 static_cast<std::uint32_t>(signs.first_element >> 32));
}

// Whether the thread finds a wire whose signs are not the first one's; together the threads look at
// all.
__device__ inline bool signs_differ(const Signs& signs, const std::byte* wires,
                                    std::size_t wire_bytes, int inputs) {
  bool differ = false;
  for (int i = static_cast<int>(threadIdx.x); i < inputs; i += static_cast<int>(blockDim.x)) {
    const Signs other = load_signs(wires + static_cast<std::size_t>(i) * wire_bytes);
    differ |= other.key0 != signs.key0 || other.key1 != signs.key1 ||
              other.first_element != signs.first_element;
  }
  return differ;
}

}  // namespace codecs::cuda
