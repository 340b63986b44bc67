// SPDX-License-Identifier: Apache-2.0
// The largest `keep` of each chunk of `group` elements, and nothing of the others: top-k of chunks.
// With error feedback (codecs/feedback/feedback.hpp) and Element::codebook2 this is SparseLoCo
// (arXiv 2508.15706; its public implementation is tplr-ai/templar): chunks of 4096, 64 kept, carry
// 0.95. SparseLoCo takes matrices in tiles; templar_tiles and templar_format of
// codecs/tiles/tiles.hpp give their shape and keep. The wire is that of codecs/sparse/sparse.hpp.
//
// codebook2 sends all: the statistical quantization of MuLoCo (arXiv 2505.23725; its code is
// facebookresearch/MuLoCo, quantized_outer_sgd.py) with 4 bins over 6 sigma, which has SparseLoCo's
// codebook, for a tensor.
//
// Selection goes by the bits of |x|, so that a NaN ranks above infinity and always travels; among
// equals the lower index wins.
//
// Values, of the v that were selected:
//   fp32, fp16, bf16  v rounded to nearest even; NaNs become 0x7FC00000, or 0x7FFF in 16 bits.
//   codebook2         Four values for the whole tensor, found from all of its n selected v:
//                       shift = mean v
//                       scale = 1.5 sqrt(sum (v - shift)^2 / (n - 1)), 1 where that is 0 or n is 1
//                       c = v - shift
//                       code = min(max(rint(c / scale + 2), 0), 3)
//                       codebook[code] = mean of its c, or 0 where it has none
//                     It decodes to codebook[code] + shift.
//   sign_magnitude2   Two magnitudes for each chunk: the mean of those below the mean |v|, and the
//                     mean of the others.
//   sign              One: the mean |v| of the chunk.
// A selected NaN or infinity makes the last two's chunk decode to NaN where values were sent, and
// codebook2's tensor: its header is then shift NaN, scale 1, codebook 0, and all codes are 0.
// Chunks of zeros decode to zeros, but for codebook2, where the whole tensor must be zero.
//
// Sums are of float64, in the order of lane_sum: 32 lanes in a chunk, 1024 lanes over the sums of
// chunks. c is rounded to float32 once, c / scale and the + 2 once each; the variance is
// (sum v^2 - (sum v)^2 / n) / (n - 1), at least 0, in float64.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

inline constexpr std::size_t kChunkLanes = 32;
inline constexpr std::size_t kTensorLanes = 1024;
inline constexpr float kCodebookSigmas = 1.5f;  // a bin's width: 6 sigma in 4 bins

// Rows of the registry's table; any chunk and keep of codecs/sparse/sparse.hpp work.
extern const Codec sparseloco, sparseloco_enumerated, codebook2, topk64_sign_magnitude, topk64_sign,
    topk64;

void encode_top_k(const Format& format, std::span<const float> values, const RandomKey& key,
                  std::span<std::byte> wire);
void decode_top_k(const Format& format, std::span<const std::byte> wire, std::span<float> values);

// Adds up `inputs` wires laid end to end: each sum starts at 0 and adds the wires in order, in
// float32.
void decode_reduce_top_k(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                         std::span<float> sums);

// The header of a codebook2 wire.
struct Codebook {
  float shift = 0;
  float scale = 1;
  std::array<float, 4> values = {};
};
[[nodiscard]] Codebook load_codebook(std::span<const std::byte> wire);

// One value to send.
struct Entry {
  std::uint32_t index = 0;  // in its chunk
  float value = 0;
};
// In ascending order of index.
[[nodiscard]] std::vector<Entry> select_largest(std::span<const float> chunk, std::size_t count);
// Decoded values of chunk `index` of a wire of `elements` values.
[[nodiscard]] std::vector<Entry> decode_chunk(const Format& format, std::size_t elements,
                                              std::size_t index, std::span<const std::byte> wire);

}  // namespace codecs
