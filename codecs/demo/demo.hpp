// SPDX-License-Identifier: Apache-2.0
// DeMo (arXiv 2411.19870): sends the largest coefficients of the discrete cosine transform of each
// tile of the momentum, and removes them from the momentum. Tiles have `block` rows and columns,
// 16, 32 or 64, and are the format's groups. The wire is that of codecs/sparse/sparse.hpp, with a
// tile's coefficients as a chunk, row by row. Values lie tile by tile, or in a matrix cut up by
// codecs/tiles/tiles.hpp; the last tile is padded with zeros.
//
// With error feedback (codecs/feedback/feedback.hpp) the residual is DeMo's momentum: carry is its
// decay of 0.999, gain the learning rate. DeMo's optimizer steps by the sign of average_demo.
//
// A NaN or an infinity makes its tile decode to NaN, or at least to values that are not finite.
#pragma once

#include <cstddef>
#include <span>

#include "codecs/codec.hpp"

namespace codecs {

extern const Codec demo_top32;

// Throws std::invalid_argument for another codec's formats.
void require_demo_format(const Format& format);

void encode_demo(const Format& format, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> wire);
void decode_demo(const Format& format, std::span<const std::byte> wire, std::span<float> values);
// The inverse transform of the sum of the wires' coefficients, added as in decode_reduce_top_k.
void decode_reduce_demo(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                        std::span<float> sums);

enum class DemoStep {
  average,
  sign  // -1, 0 or 1
};
// The inverse transform of each coefficient's average over the peers that sent it: aggregate() of
// codecs/aggregate/aggregate.hpp without clipping.
void average_demo(const Format& format, std::span<const std::byte> wires, std::size_t peers,
                  DemoStep step, std::span<float> averages);

}  // namespace codecs
