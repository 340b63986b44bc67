// From run-time chunks to kernels.
#pragma once

#include "codecs/cuda/launch.cuh"
#include "codecs/top_k/select.cuh"

namespace codecs::cuda {

template <int kElements>
struct StaticChunk {
  static constexpr int kChunk = kElements;
  using Block = ChunkBlock<kElements>;
};

// Calls launch(StaticChunk); throws std::invalid_argument for a format without kernels.
template <typename Launch>
void with_chunk(const Format& format, Launch launch) {
  require(format.keep <= format.group / 8, "kernels keep at most an eighth of a chunk");
  const auto found =
      [&](auto... chunks) {
        return ((format.group == decltype(chunks)::kChunk ? (launch(chunks), true) : false) || ...);
      }(StaticChunk<256>{}, StaticChunk<512>{}, StaticChunk<1024>{}, StaticChunk<2048>{},
        StaticChunk<4096>{}, StaticChunk<8192>{});
  require(found, "no CUDA kernel has this chunk");
}

inline unsigned chunk_blocks(std::size_t chunks, std::size_t per_block) {
  const std::size_t blocks = (chunks + per_block - 1) / per_block;
  require(blocks <= 0x7FFFFFFFu, "more blocks than a grid has");
  return static_cast<unsigned>(blocks);
}

}  // namespace codecs::cuda
