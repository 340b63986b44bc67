#include <algorithm>
#include <cmath>
#include <vector>

#include "codecs/aggregate/aggregate.hpp"
#include "codecs/demo/dct.hpp"
#include "codecs/demo/demo.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs {
namespace {

using Tile = std::array<float, kDctTile>;

constexpr DctBasis kBasis = dct_basis();

float basis(std::size_t k, std::size_t n) { return kBasis.values[k * kDctSide + n]; }

// left(i, j) * right(j, k), summed over j in order.
template <typename Left, typename Right>
Tile product(Left left, Right right) {
  Tile out;
  for (std::size_t i = 0; i < kDctSide; ++i) {
    for (std::size_t k = 0; k < kDctSide; ++k) {
      float sum = 0;
      for (std::size_t j = 0; j < kDctSide; ++j) sum = std::fma(left(i, j), right(j, k), sum);
      out[i * kDctSide + k] = sum;
    }
  }
  return out;
}

template <typename Left>
void transform(std::span<float> tile, Left left) {
  const Tile half =
      product(left, [&](std::size_t j, std::size_t k) { return tile[j * kDctSide + k]; });
  const Tile whole = product([&](std::size_t i, std::size_t j) { return half[i * kDctSide + j]; },
                             [&](std::size_t j, std::size_t k) { return left(k, j); });
  std::ranges::copy(whole, tile.begin());
}

void require_demo_format(const Format& format) {
  require(format.rotation == Rotation::dct && format.group == kDctTile,
          "coefficients come from tiles of 4096");
}

Format of_coefficients(Format format) {
  require_demo_format(format);
  format.rotation = Rotation::none;
  return format;
}

std::vector<float> whole_tiles(std::size_t elements) {
  return std::vector<float>((elements + kDctTile - 1) / kDctTile * kDctTile, 0.0f);
}

void take_front(std::span<const float> tiles, std::span<float> values) {
  std::ranges::copy(tiles.first(values.size()), values.begin());
}

}  // namespace

void dct_tiles(std::span<float> values) {
  require(values.size() % kDctTile == 0, "whole tiles");
  for (std::size_t first = 0; first < values.size(); first += kDctTile) {
    transform(values.subspan(first, kDctTile), basis);
  }
}

void inverse_dct_tiles(std::span<float> values) {
  require(values.size() % kDctTile == 0, "whole tiles");
  for (std::size_t first = 0; first < values.size(); first += kDctTile) {
    transform(values.subspan(first, kDctTile),
              [](std::size_t n, std::size_t k) { return basis(k, n); });
  }
}

void encode_demo(const Format& format, std::span<const float> values, const RandomKey& key,
                 std::span<std::byte> wire) {
  require(wire.size() == encoded_bytes(format, values.size()), "a wire is encoded_bytes() long");
  std::vector<float> tiles = whole_tiles(values.size());
  std::ranges::copy(values, tiles.begin());
  dct_tiles(tiles);
  encode_top_k(of_coefficients(format), tiles, key, wire);
}

void decode_reduce_demo(const Format& format, std::span<const std::byte> wires, std::size_t inputs,
                        std::span<float> sums) {
  std::vector<float> tiles = whole_tiles(sums.size());
  decode_reduce_top_k(of_coefficients(format), wires, inputs, tiles);
  inverse_dct_tiles(tiles);
  take_front(tiles, sums);
}

void decode_demo(const Format& format, std::span<const std::byte> wire, std::span<float> values) {
  decode_reduce_demo(format, wire, 1, values);
}

void average_demo(const Format& format, std::span<const std::byte> wires, std::size_t peers,
                  DemoStep step, std::span<float> averages) {
  std::vector<float> tiles = whole_tiles(averages.size());
  aggregate(of_coefficients(format), {.average = Average::senders, .clip = false}, wires, peers,
            tiles);
  inverse_dct_tiles(tiles);
  take_front(tiles, averages);
  if (step == DemoStep::average) return;
  for (float& x : averages) x = std::isnan(x) ? x : static_cast<float>((x > 0) - (x < 0));
}

constexpr Codec demo_top32{.name = "demo_top32",
                           .summary = "largest 32 coefficients of each 64 x 64 tile's DCT, float32",
                           .format = {.element = Element::fp32,
                                      .group = kDctTile,
                                      .rotation = Rotation::dct,
                                      .block = kDctSide,
                                      .keep = 32},
                           .encode = encode_demo,
                           .decode = decode_demo};

}  // namespace codecs
