// SPDX-License-Identifier: Apache-2.0
// From run-time chunks to kernels.
#pragma once

#include "codecs/cuda/launch.cuh"
#include "codecs/sparse/sparse.hpp"
#include "codecs/top_k/chunk.cuh"

namespace codecs::cuda {

template <int kElements>
struct StaticChunk {
  static constexpr int kChunk = kElements;
  using Block = ChunkBlock<kElements>;
};

// Whether all values travel, and no indices.
inline bool sends_all(const Format& format) {
  return is_enumerated(format) && format.keep == format.group;
}

// Calls launch(StaticChunk) with the smallest that a chunk fits in; throws std::invalid_argument
// for a format without kernels.
template <typename Launch>
void with_chunk(const Format& format, Launch launch) {
  const auto attempt = [&]<typename Static>(Static chunk) {
    if (format.group > Static::kChunk) return false;
    require(format.keep <= Static::Block::kMostKept || sends_all(format),
            "kernels keep at most an eighth of a chunk, or 64, or all");
    launch(chunk);
    return true;
  };
  const bool found = [&](auto... chunks) { return (attempt(chunks) || ...); }(
                         StaticChunk<256>{}, StaticChunk<512>{}, StaticChunk<1024>{},
                         StaticChunk<2048>{}, StaticChunk<4096>{}, StaticChunk<8192>{});
  require(found, "no CUDA kernel has this chunk");
}

}  // namespace codecs::cuda
