// SPDX-License-Identifier: Apache-2.0
// Format: the contents of the wire, as a value: an element's code, the scale of its group, its
// rounding, a preceding transform, the number of elements of a group that travel, and the layout
// that gives all of them their place. Codecs with equal formats produce equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace codecs {

// The code of one element, on a grid of its own; the scale gives the value of a grid unit.
enum class Element {
  fp32,
  fp16,
  bf16,
  e4m3,  // OCP FP8: bias 7, largest 448, no infinity
  e5m2,  // OCP FP8: bias 15, largest finite 57344
  e2m1,  // OCP FP4: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives
  int8,  // two's complement
  int4,
  int2,
  nf4,           // 16 quantiles of the normal distribution (QLoRA, arXiv 2305.14314)
  dynamic8,      // the 8-bit dynamic map of bitsandbytes (arXiv 2110.02861)
  power_of_two,  // sign and 7 bits of exponent: natural compression (arXiv 1905.10988)
  sign,          // 1 bit; 0 counts as positive
  lloyd1,        // Lloyd-Max centroids of the normal distribution: EDEN (arXiv 2108.08842)
  lloyd2,
  lloyd3,
  lloyd4,
  codebook2,       // 4 values sent with each tensor: SparseLoCo (arXiv 2508.15706)
  sign_magnitude2  // sign and one of 2 magnitudes sent with each group
};

// The scale sent with a group, and its meaning.
enum class Scale {
  none,
  amax,              // float32: largest magnitude / largest code of a symmetric grid
  amax_full,         // float32: the same over 2^(bits-1), whose top code is clipped (DeepSpeed)
  min_max,           // float32 step and float32 minimum; codes count from the minimum
  norm,              // float32: Euclidean norm / largest code (QSGD, arXiv 1610.02132)
  clipped,           // float32: largest magnitude after clipping to 2.5 sigma (TernGrad)
  mean_magnitude,    // float32
  root_mean_square,  // float32
  e8m0_floor,        // a power of two in a byte: OCP MX's own rule, the top binade saturates
  e8m0_ceil,         // the same, rounded up: nothing saturates
  e8m0_even,         // the same for the magnitude rounded to the element's digits
  e4m3_tensor,       // a byte of FP8, times one float32 per tensor: NVFP4
  reciprocal,        // float32 multiplier of the values, and 4 zero bytes: rows of FBGEMM's FP8
  matched            // float32 that makes the decoded group's projection unbiased: EDEN
};

enum class Rounding {
  nearest,    // ties to even
  stochastic  // up with the probability of the fraction: unbiased; of drawn elements, scaled up
};

// An orthogonal transform of every `block` elements (of a tile for dct) before encoding, and its
// inverse after.
enum class Rotation {
  none,
  hadamard,      // Walsh-Hadamard
  random_signs,  // Walsh-Hadamard of the values times random signs from the key
  dct            // type II, in two dimensions, over tiles of block x block
};

// The elements of a group that travel, if not all.
enum class Choice {
  largest,  // in magnitude
  random    // drawn from the key, the same on all ranks
};

// A group that is the whole tensor.
inline constexpr std::size_t kWholeTensor = static_cast<std::size_t>(-1);

// The folder that arranges the bytes, and its sizes: codecs/codec.hpp.
struct Layout;
// Packed codes, and the scales of their groups if they have any: codecs/group/group.hpp.
extern const Layout kGroupLayout;

struct Format {
  Element element = Element::fp32;
  Scale scale = Scale::none;
  std::size_t group = 1;  // elements that share a scale
  Rounding rounding = Rounding::nearest;
  Rotation rotation = Rotation::none;
  std::size_t block = 32;  // of the rotation
  std::size_t keep = 0;    // elements of each group that travel, with their indices; 0: all
  Choice choice = Choice::largest;
  const Layout* layout = &kGroupLayout;
  friend bool operator==(const Format&, const Format&) = default;
};

[[nodiscard]] int bits_of(Element element);
// Of one group's scale.
[[nodiscard]] std::size_t bytes_of(Scale scale);

// The layout's.
[[nodiscard]] std::size_t encoded_bytes(const Format& format, std::size_t elements);
[[nodiscard]] double encoded_bytes_per_element(const Format& format);

// The name of the registry's codec with this format, or a name composed by the same rules:
// "int4_g512_sr".
[[nodiscard]] std::string format_name(const Format& format);

// Whether the codec of this format can have groups of other sizes, and of size `group`.
[[nodiscard]] bool has_groups(const Format& format);
[[nodiscard]] bool takes_group(const Format& format, std::size_t group);
// The format of that name: a codec of the registry, or one with groups of another size.
[[nodiscard]] std::optional<Format> format_named(std::string_view name);

}  // namespace codecs
