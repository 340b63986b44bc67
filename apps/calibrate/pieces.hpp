// SPDX-License-Identifier: Apache-2.0
// Inputs of kernels, and the expected outputs by the references. Value i of an input is pattern[i %
// kPattern], so that any piece of an output can be checked on the CPU.
//
// Outputs are compared decoded: a piece of a tensor, encoded and decoded by itself, has the same
// values as within the whole, whatever the layout of the wire. Codecs for which this does not hold,
// since they look at the whole tensor, are compared on whole tensors only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "codecs/bf16/bf16.hpp"
#include "codecs/codec.hpp"

namespace calibrate {

inline constexpr std::size_t kPattern = std::size_t{1} << 20;
// Tensors of at most this many values are compared whole: 1 MiB of float32.
inline constexpr std::size_t kWhole = std::size_t{1} << 18;

struct Piece {
  std::size_t first = 0;
  std::size_t count = 0;
};

class Pattern {
 public:
  Pattern();
  [[nodiscard]] std::vector<float> input(const Piece& piece) const;
  // Differs from the input by about one part in 128, as after a step of the optimizer.
  [[nodiscard]] std::vector<codecs::Bf16> model(const Piece& piece) const;
  [[nodiscard]] std::vector<float> residual(const Piece& piece) const;

 private:
  std::vector<float> values_;
};

// The key of a measured encode: `rank` is the number of the wire, `first` that of the element.
[[nodiscard]] codecs::RandomKey key_of(std::uint32_t rank, std::size_t first);

[[nodiscard]] std::vector<float> as_floats(std::span<const codecs::Bf16> values);

// By the references: encoded, then decoded.
[[nodiscard]] std::vector<float> round_trip(const codecs::Codec& codec,
                                            std::span<const float> values,
                                            const codecs::RandomKey& key);
// The bfloat16 differences that encode_difference encodes.
[[nodiscard]] std::vector<float> differences(std::span<const codecs::Bf16> master,
                                             std::span<const codecs::Bf16> model);
// model + decoded, as decode_add rounds it.
[[nodiscard]] std::vector<codecs::Bf16> added(std::span<const codecs::Bf16> model,
                                              std::span<const float> decoded);

// Whether pieces that start at multiples of piece_elements() are encoded as within the whole:
// tested on the reference.
[[nodiscard]] bool splits(const codecs::Codec& codec);
[[nodiscard]] std::size_t piece_elements(const codecs::Format& format);

// The compared part of a tensor: all of a small one, else its first and last values in whole
// pieces; nothing if the codec has no pieces.
[[nodiscard]] std::vector<Piece> sample(const codecs::Codec& codec, std::size_t elements);

// Equal up to the order of float32 sums; up to matrix products if the format consists of them.
[[nodiscard]] bool agree(const codecs::Format& format, std::span<const float> expected,
                         std::span<const float> found);

}  // namespace calibrate
