// SPDX-License-Identifier: Apache-2.0
// Random bits on the GPU: those of codecs/random/random.hpp, drawn by whichever lane wants them.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "codecs/random/random.hpp"

namespace codecs::cuda {

// Who draws: the parts of a RandomKey that Philox wants.
struct Draw {
  std::uint32_t key0 = 0;
  std::uint32_t key1 = 0;
  std::uint32_t tensor = 0;
  std::uint32_t rank = 0;
  std::uint64_t first_block = 0;
};

// Random bytes of the elements of one block, byte e % 4 of word e / 4 for element e.
__device__ inline uint4 draw_block(const Draw& draw, std::uint64_t block) {
  uint4 c = make_uint4(static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                       draw.tensor, draw.rank);
  std::uint32_t key0 = draw.key0, key1 = draw.key1;
#pragma unroll
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint32_t high0 = __umulhi(kPhiloxMultiplier0, c.x);
    const std::uint32_t high1 = __umulhi(kPhiloxMultiplier1, c.z);
    c = make_uint4(high1 ^ c.y ^ key0, kPhiloxMultiplier1 * c.z, high0 ^ c.w ^ key1,
                   kPhiloxMultiplier0 * c.x);
    key0 += kPhiloxWeyl0;
    key1 += kPhiloxWeyl1;
  }
  return c;
}

}  // namespace codecs::cuda
