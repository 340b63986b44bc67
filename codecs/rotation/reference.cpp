// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cstring>

#include "codecs/group/group.hpp"
#include "codecs/random/random.hpp"
#include "codecs/rotation/rotation.hpp"

namespace codecs {
namespace {

static_assert(sizeof(SignKey) == kSignKeyBytes, "the wire holds a SignKey as it is in memory");

void require_block(std::size_t block, std::size_t elements) {
  require(std::has_single_bit(block) && block >= kSmallestRotation && block <= kLargestRotation,
          "a rotation's block is a power of two from 16 to 8192");
  require(elements % block == 0, "a rotation takes whole blocks");
}

void flip_signs(const SignKey& signs, std::span<float> values) {
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t element = signs.first_element + i;
    if (i == 0 || element % kSignsPerDraw == 0) {
      const std::uint64_t draw = element / kSignsPerDraw;
      words =
          philox({static_cast<std::uint32_t>(draw), static_cast<std::uint32_t>(draw >> 32), 0, 0},
                 signs.key);
    }
    const std::uint32_t word = words.at(element % kSignsPerDraw / 32);
    if ((word >> (element % 32) & 1) != 0) values[i] = -values[i];
  }
}

// One stride of the transform. Column j of `pairs` holds `stride` values a, then their partners b.
void butterfly(std::size_t stride, std::span<float> values) {
  const auto rows = static_cast<Eigen::Index>(stride);
  Eigen::Map<Eigen::ArrayXXf> pairs(values.data(), 2 * rows,
                                    static_cast<Eigen::Index>(values.size()) / (2 * rows));
  const Eigen::ArrayXXf sum = pairs.topRows(rows) + pairs.bottomRows(rows);
  const Eigen::ArrayXXf difference = pairs.topRows(rows) - pairs.bottomRows(rows);
  pairs.topRows(rows) = sum;
  pairs.bottomRows(rows) = difference;
}

void require_wires(const Format& format, std::size_t elements, std::size_t bytes) {
  require(bytes == encoded_bytes(format, elements), "a wire is encoded_bytes() long");
}

constexpr Layout kRotatedLayout{.bytes = rotated_bytes,
                                .bytes_per_element = group_bytes_per_element,
                                .takes_group = layout_takes_group};

}  // namespace

Format without_rotation(Format format) {
  require(format.rotation == Rotation::random_signs, "the format has a rotation by random signs");
  format.rotation = Rotation::none;
  format.layout = &kGroupLayout;
  return format;
}

std::size_t rotated_bytes(const Format& format, std::size_t elements) {
  if (elements == 0) return 0;
  return kSignKeyBytes +
         encoded_bytes(without_rotation(format), rotated_elements(format, elements));
}

SignKey sign_key(const RandomKey& key) {
  const auto words = philox({0, 0, key.tensor, kSharedRank}, philox_key(key));
  return {.key = {words[0], words[1]}, .first_element = key.first_element};
}

void rotate(std::size_t block, const SignKey& signs, std::span<float> values) {
  require_block(block, values.size());
  flip_signs(signs, values);
  for (std::size_t first = 0; first < values.size(); first += block) {
    for (std::size_t stride = 1; stride < block; stride *= 2) {
      butterfly(stride, values.subspan(first, block));
    }
  }
}

void rotate_back_unscaled(std::size_t block, const SignKey& signs, std::span<float> values) {
  require_block(block, values.size());
  for (std::size_t first = 0; first < values.size(); first += block) {
    for (std::size_t stride = block / 2; stride > 0; stride /= 2) {
      butterfly(stride, values.subspan(first, block));
    }
  }
  flip_signs(signs, values);
}

void rotate_back(std::size_t block, const SignKey& signs, std::span<float> values) {
  rotate_back_unscaled(block, signs, values);
  for (float& value : values) value *= 1.0f / static_cast<float>(block);
}

std::size_t rotated_elements(const Format& format, std::size_t elements) {
  return (elements + format.block - 1) / format.block * format.block;
}

std::vector<float> rotated_values(const Format& format, const SignKey& signs,
                                  std::span<const float> values) {
  std::vector<float> rotated(rotated_elements(format, values.size()));
  std::ranges::copy(values, rotated.begin());
  rotate(format.block, signs, rotated);
  return rotated;
}

void store_sign_key(const SignKey& signs, std::span<std::byte> wire) {
  std::memcpy(wire.first(kSignKeyBytes).data(), &signs, kSignKeyBytes);
}

SignKey load_sign_key(std::span<const std::byte> wires, std::size_t inputs) {
  SignKey signs;
  std::memcpy(&signs, wires.first(kSignKeyBytes).data(), kSignKeyBytes);
  for (std::size_t i = 1; i < inputs; ++i) {
    require(load_sign_key(wires.subspan(wires.size() / inputs * i)) == signs,
            "wires that are summed have the same random signs: seed, step, tensor and place");
  }
  return signs;
}

void encode_rotated(const Format& format, std::span<const float> values, const RandomKey& key,
                    std::span<std::byte> wire) {
  const Format inner = without_rotation(format);
  require_wires(format, values.size(), wire.size());
  if (values.empty()) return;
  store_sign_key(sign_key(key), wire);
  encode_groups(inner, rotated_values(format, sign_key(key), values), key,
                wire.subspan(kSignKeyBytes));
}

void decode_rotated(const Format& format, std::span<const std::byte> wire,
                    std::span<float> values) {
  decode_reduce_rotated(format, wire, 1, values);
}

void decode_reduce_rotated(const Format& format, std::span<const std::byte> wires,
                           std::size_t inputs, std::span<float> sums) {
  const Format inner = without_rotation(format);
  const std::size_t bytes = encoded_bytes(format, sums.size());
  require(inputs > 0 && wires.size() == inputs * bytes, "a wire is encoded_bytes() long");
  if (sums.empty()) return;
  std::vector<std::byte> inner_wires;
  for (std::size_t i = 0; i < inputs; ++i) {
    const auto wire = wires.subspan(i * bytes + kSignKeyBytes, bytes - kSignKeyBytes);
    inner_wires.insert(inner_wires.end(), wire.begin(), wire.end());
  }
  std::vector<float> rotated(rotated_elements(format, sums.size()));
  decode_reduce(inner, inner_wires, inputs, rotated);
  rotate_back(format.block, load_sign_key(wires, inputs), rotated);
  std::copy_n(rotated.begin(), sums.size(), sums.begin());
}

namespace {

constexpr Codec rotated_row(std::string_view name, std::string_view summary, const Format& format) {
  return {.name = name,
          .summary = summary,
          .format = format,
          .encode = encode_rotated,
          .decode = decode_rotated};
}

constexpr Format rotated(const Format& format, std::size_t block) {
  Format whole = format;
  whole.rotation = Rotation::random_signs;
  whole.block = block;
  whole.layout = &kRotatedLayout;
  return whole;
}

constexpr Format kInt4{.element = Element::int4, .scale = Scale::amax, .group = 128};
constexpr Format kInt4Stochastic{
    .element = Element::int4, .scale = Scale::amax, .group = 128, .rounding = Rounding::stochastic};
constexpr Format kNvfp4{.element = Element::e2m1, .scale = Scale::e4m3_tensor, .group = 16};
constexpr Format kNvfp4Stochastic{.element = Element::e2m1,
                                  .scale = Scale::e4m3_tensor,
                                  .group = 16,
                                  .rounding = Rounding::stochastic};

}  // namespace

constexpr Codec int4_g128_rht128_sr = rotated_row(
    "int4_g128_rht128_sr", "INT4 after a rotation in blocks of 128, one scale per 128, stochastic",
    rotated(kInt4Stochastic, 128));
constexpr Codec int4_g128_rht4096 = rotated_row(
    "int4_g128_rht4096", "INT4 after a rotation in blocks of 4096, one scale per 128, nearest",
    rotated(kInt4, 4096));
constexpr Codec nvfp4_rht16 = rotated_row(
    "nvfp4_rht16", "NVFP4 after a rotation in blocks of 16, nearest", rotated(kNvfp4, 16));
constexpr Codec nvfp4_rht16_sr =
    rotated_row("nvfp4_rht16_sr", "NVFP4 after a rotation in blocks of 16, stochastic",
                rotated(kNvfp4Stochastic, 16));

}  // namespace codecs
