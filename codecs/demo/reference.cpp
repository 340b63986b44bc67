// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "codecs/aggregate/aggregate.hpp"
#include "codecs/demo/dct.hpp"
#include "codecs/demo/demo.hpp"
#include "codecs/group/group.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs {
namespace {

std::vector<float> basis_of(std::size_t side) {
  std::vector<float> basis;
  with_dct_side(side, [&]<std::size_t kSide>() {
    static constexpr DctBasis<kSide> kBasis = dct_basis<kSide>();
    basis.assign(std::begin(kBasis.values), std::end(kBasis.values));
  });
  return basis;
}

// left(i, j) * right(j, k), summed over j in order.
template <typename Left, typename Right>
std::vector<float> product(std::size_t side, Left left, Right right) {
  std::vector<float> out;
  for (std::size_t i = 0; i < side; ++i) {
    for (std::size_t k = 0; k < side; ++k) {
      float sum = 0;
      for (std::size_t j = 0; j < side; ++j) sum = std::fma(left(i, j), right(j, k), sum);
      out.push_back(sum);
    }
  }
  return out;
}

template <typename Left>
void transform(std::size_t side, std::span<float> values, Left left) {
  require(values.size() % (side * side) == 0, "whole tiles");
  for (std::size_t first = 0; first < values.size(); first += side * side) {
    const auto tile = values.subspan(first, side * side);
    const auto half =
        product(side, left, [&](std::size_t j, std::size_t k) { return tile[j * side + k]; });
    const auto whole = product(
        side, [&](std::size_t i, std::size_t j) { return half[i * side + j]; },
        [&](std::size_t j, std::size_t k) { return left(k, j); });
    std::ranges::copy(whole, tile.begin());
  }
}

Format of_coefficients(Format format) {
  require_demo_format(format);
  format.rotation = Rotation::none;
  return format;
}

std::vector<float> whole_tiles(const Format& format, std::size_t elements) {
  return std::vector<float>(round_up(elements, format.group), 0.0f);
}

void take_front(std::span<const float> tiles, std::span<float> values) {
  std::ranges::copy(tiles.first(values.size()), values.begin());
}

}  // namespace

void require_demo_format(const Format& format) {
  require(format.rotation == Rotation::dct && format.group == format.block * format.block,
          "coefficients come from square tiles");
}

void dct_tiles(std::size_t side, std::span<float> values) {
  const std::vector<float> basis = basis_of(side);
  transform(side, values, [&](std::size_t k, std::size_t n) { return basis[k * side + n]; });
}

void inverse_dct_tiles(std::size_t side, std::span<float> values) {
  const std::vector<float> basis = basis_of(side);
  transform(side, values, [&](std::size_t n, std::size_t k) { return basis[k * side + n]; });
}

void encode_demo(const Format& format, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> wire) {
  require(wire.size() == encoded_bytes(format, values.size()), "a wire is encoded_bytes() long");
  std::vector<float> tiles = whole_tiles(format, values.size());
  std::ranges::copy(values, tiles.begin());
  dct_tiles(format.block, tiles);
  encode_top_k(of_coefficients(format), tiles, key, wire);
}

void decode_reduce_demo(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                        std::span<float> sums) {
  std::vector<float> tiles = whole_tiles(format, sums.size());
  decode_reduce_top_k(of_coefficients(format), wires, inputs, tiles);
  inverse_dct_tiles(format.block, tiles);
  take_front(tiles, sums);
}

void decode_demo(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  decode_reduce_demo(format, wire, 1, values);
}

void average_demo(const Format& format, std::span<const std::byte> wires, std::size_t peers,
                  DemoStep step, std::span<float> averages) {
  std::vector<float> tiles = whole_tiles(format, averages.size());
  aggregate(of_coefficients(format), {.average = Average::senders, .clip = false}, wires, peers,
            tiles);
  inverse_dct_tiles(format.block, tiles);
  take_front(tiles, averages);
  if (step == DemoStep::average) return;
  for (float& x : averages) x = std::isnan(x) ? x : static_cast<float>((x > 0) - (x < 0));
}

constexpr Codec demo_top32{.name = "demo_top32",
                           .summary = "largest 32 coefficients of each 64 x 64 tile's DCT, float32",
                           .format = {.element = Element::fp32,
                                      .group = std::size_t{64} * 64,
                                      .rotation = Rotation::dct,
                                      .block = 64,
                                      .keep = 32,
                                      .layout = &kSparseLayout},
                           .encode = encode_demo,
                           .decode = decode_demo};

}  // namespace codecs
