// SPDX-License-Identifier: Apache-2.0
// Formats as types, so that each has its own kernel, and which of them have one.
#pragma once

#include <stdexcept>
#include <tuple>

#include "codecs/codec.hpp"
#include "codecs/cuda/elements.cuh"

namespace codecs::cuda {

// Group sizes are powers of two from 16. Up to 512 they are a number at run time, and a warp takes
// one tile of 512; larger ones are kTiles tiles in the registers of a warp, or of kWarps: 8 in one
// would leave a multiprocessor registers for 8 warps, which load, compute and store in turn.
template <Element kElementOf, Coding kCodingOf, bool kIsStochastic = false,
          bool kTransforms = false, int kTilesOf = 1>
struct StaticFormat {
  static constexpr Element kElement = kElementOf;
  static constexpr Coding kCoding = kCodingOf;
  static constexpr bool kStochastic = kIsStochastic;
  static constexpr bool kHadamard = kTransforms;
  static constexpr int kTiles = kTilesOf;
  static constexpr int kWarps = kTiles > 4 ? 4 : 1;
  static constexpr int kWarpTiles = kTiles / kWarps;
  static constexpr int kBits = kBitsOf<kElement>;
};

[[nodiscard]] inline Coding coding_of(Scale scale) {
  switch (scale) {
    case Scale::amax:
      return Coding::symmetric;
    case Scale::norm:
      return Coding::norm;
    case Scale::amax_full:
      return Coding::full;
    case Scale::min_max:
      return Coding::offset;
    case Scale::reciprocal:
      return Coding::reciprocal;
    case Scale::e8m0_floor:
    case Scale::e8m0_ceil:
    case Scale::e8m0_even:
      return Coding::e8m0;
    case Scale::e4m3_tensor:
      return Coding::nested;
    default:
      throw std::invalid_argument("no CUDA kernel has this scale");
  }
}

[[nodiscard]] inline bool is_power_of_two(std::size_t count) {
  return count != 0 && (count & (count - 1)) == 0;
}

// Tiles of a group: 1 where a tile holds several groups, or the group is the tensor.
[[nodiscard]] inline std::size_t tiles_of(const Format& format) {
  if (format.group == kWholeTensor) return 1;
  require(is_power_of_two(format.group) && format.group >= kLaneElements,
          "kernels take groups of a power of two from 16 elements");
  return format.group <= kTileElements ? 1 : format.group / kTileElements;
}

template <typename Static>
bool is_format(const Format& format) {
  return format.element == Static::kElement && coding_of(format.scale) == Static::kCoding &&
         (format.rounding == Rounding::stochastic) == Static::kStochastic &&
         format.rotation == (Static::kHadamard ? Rotation::hadamard : Rotation::none) &&
         tiles_of(format) == Static::kTiles;
}

// The formats of one family of kernels, as a type.
template <typename... Statics>
struct Formats {};

// Calls launch(StaticFormat) for the one that is `format`; throws std::invalid_argument if none is.
template <typename... Statics, typename Launch>
void with_format(Formats<Statics...>, const Format& format, Launch launch) {
  const bool found = ((is_format<Statics>(format) ? (launch(Statics{}), true) : false) || ...);
  require(found, "no CUDA kernel has this format");
}

// Whether an element and its grid are those of the format: all that a decode of it depends on, but
// for the transform.
template <typename Static>
bool decodes(const Format& format) {
  return format.element == Static::kElement && coding_of(format.scale) == Static::kCoding &&
         format.rotation == (Static::kHadamard ? Rotation::hadamard : Rotation::none);
}
template <typename... Statics, typename Launch>
void with_decoder(Formats<Statics...>, const Format& format, Launch launch) {
  const bool found = ((decodes<Statics>(format) ? (launch(Statics{}), true) : false) || ...);
  require(found, "no CUDA kernel has this format");
}

using E = Element;
using C = Coding;

inline constexpr bool kNearest = false, kRandom = true, kRotated = true;

// All group sizes that ship.
using IntegerFormats =
    Formats<StaticFormat<E::int8, C::symmetric>, StaticFormat<E::int8, C::symmetric, kRandom>,
            StaticFormat<E::int8, C::symmetric, kNearest, false, 4>,
            StaticFormat<E::int8, C::symmetric, kRandom, false, 4>,
            StaticFormat<E::int8, C::symmetric, kNearest, kRotated>,
            StaticFormat<E::int8, C::symmetric, kRandom, kRotated>,
            StaticFormat<E::int4, C::symmetric>, StaticFormat<E::int4, C::symmetric, kRandom>,
            StaticFormat<E::int4, C::symmetric, kNearest, false, 2>,
            StaticFormat<E::int4, C::symmetric, kRandom, false, 2>,
            StaticFormat<E::int4, C::symmetric, kNearest, false, 4>,
            StaticFormat<E::int4, C::symmetric, kRandom, false, 4>,
            StaticFormat<E::int4, C::symmetric, kNearest, kRotated>,
            StaticFormat<E::int4, C::symmetric, kRandom, kRotated>,
            StaticFormat<E::int2, C::symmetric>, StaticFormat<E::int2, C::symmetric, kRandom>>;
// Those of ZeRO++ and of QSDP.
using ShiftedFormats =
    Formats<StaticFormat<E::int8, C::full>, StaticFormat<E::int8, C::full, kNearest, false, 4>,
            StaticFormat<E::int4, C::full>, StaticFormat<E::int4, C::full, kNearest, false, 4>,
            StaticFormat<E::int8, C::offset>, StaticFormat<E::int8, C::offset, kRandom>,
            StaticFormat<E::int8, C::offset, kNearest, false, 2>,
            StaticFormat<E::int8, C::offset, kRandom, false, 2>, StaticFormat<E::int4, C::offset>,
            StaticFormat<E::int4, C::offset, kRandom>>;
// Tables, and QSGD.
using PlainFormats =
    Formats<StaticFormat<E::nf4, C::symmetric>,
            StaticFormat<E::dynamic8, C::symmetric, kNearest, false, 8>,
            StaticFormat<E::int8, C::norm, kRandom>, StaticFormat<E::int4, C::norm, kRandom>>;
using FloatFormats =
    Formats<StaticFormat<E::e4m3, C::symmetric>, StaticFormat<E::e5m2, C::symmetric>,
            StaticFormat<E::e4m3, C::reciprocal>, StaticFormat<E::e5m2, C::reciprocal>,
            StaticFormat<E::e4m3, C::e8m0>, StaticFormat<E::e5m2, C::e8m0>,
            StaticFormat<E::e2m1, C::e8m0>, StaticFormat<E::e2m1, C::e8m0, kRandom>,
            StaticFormat<E::e2m1, C::nested>, StaticFormat<E::e2m1, C::nested, kRandom>>;

// What is decoded the same way, once.
using Decoders = Formats<
    StaticFormat<E::int8, C::symmetric>, StaticFormat<E::int8, C::symmetric, kNearest, kRotated>,
    StaticFormat<E::int4, C::symmetric>, StaticFormat<E::int4, C::symmetric, kNearest, kRotated>,
    StaticFormat<E::int2, C::symmetric>, StaticFormat<E::int8, C::full>,
    StaticFormat<E::int4, C::full>, StaticFormat<E::int8, C::offset>,
    StaticFormat<E::int4, C::offset>, StaticFormat<E::e4m3, C::symmetric>,
    StaticFormat<E::e5m2, C::symmetric>, StaticFormat<E::e4m3, C::reciprocal>,
    StaticFormat<E::e5m2, C::reciprocal>, StaticFormat<E::e4m3, C::e8m0>,
    StaticFormat<E::e5m2, C::e8m0>, StaticFormat<E::e2m1, C::e8m0>,
    StaticFormat<E::e2m1, C::nested>, StaticFormat<E::nf4, C::symmetric>,
    StaticFormat<E::dynamic8, C::symmetric>, StaticFormat<E::int8, C::norm>,
    StaticFormat<E::int4, C::norm>>;

}  // namespace codecs::cuda
