// SPDX-License-Identifier: Apache-2.0
// Tiles of a matrix: the mapping against four nested loops, Templar's rule, and codecs over tiles.
#include "codecs/tiles/tiles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "codecs/demo/demo.hpp"
#include "codecs/feedback/feedback.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/top_k/top_k.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr std::array kShapes{
    TileShape{.rows = 4, .columns = 6, .tile_rows = 2, .tile_columns = 3},
    TileShape{.rows = 96, .columns = 160, .tile_rows = 48, .tile_columns = 40},
    TileShape{.rows = 128, .columns = 192, .tile_rows = 64, .tile_columns = 64},
    TileShape{.rows = 5, .columns = 7, .tile_rows = 5, .tile_columns = 1},
    TileShape{.rows = 1, .columns = 600, .tile_rows = 1, .tile_columns = 256},
};

TileShape matrix(std::size_t rows, std::size_t columns, std::size_t tile_rows,
                 std::size_t tile_columns) {
  return {.rows = rows, .columns = columns, .tile_rows = tile_rows, .tile_columns = tile_columns};
}

bool same(const TileShape& a, const TileShape& b) {
  return a.rows == b.rows && a.columns == b.columns && a.tile_rows == b.tile_rows &&
         a.tile_columns == b.tile_columns;
}

// "(y h) (x w) -> y x (h w)"
TEST(Tiles, FollowEachOtherAndSoDoTheirPlaces) {
  for (const TileShape& tiles : kShapes) {
    if (tiles.rows == 1) continue;
    std::vector<float> values(elements_of(tiles)), expected;
    std::iota(values.begin(), values.end(), 0.0f);
    for (std::size_t y = 0; y < tiles.rows / tiles.tile_rows; ++y) {
      for (std::size_t x = 0; x < tiles.columns / tiles.tile_columns; ++x) {
        for (std::size_t h = 0; h < tiles.tile_rows; ++h) {
          for (std::size_t w = 0; w < tiles.tile_columns; ++w) {
            expected.push_back(
                values[(y * tiles.tile_rows + h) * tiles.columns + x * tiles.tile_columns + w]);
          }
        }
      }
    }
    EXPECT_EQ(tile_order(tiles, values), expected);
    EXPECT_EQ(memory_order(tiles, expected), values);
  }
}

TEST(Tiles, EveryElementHasOnePlace) {
  for (const TileShape& tiles : kShapes) {
    for (std::size_t i = 0; i < elements_of(tiles); ++i) {
      EXPECT_EQ(element_at(tiles, place_of(tiles, i)), i);
      EXPECT_LT(place_of(tiles, i).place, tile_elements(tiles));
    }
  }
  const TileShape drawn = kShapes[0];
  EXPECT_EQ(place_of(drawn, 9), (TilePlace{.tile = 1, .place = 3}));
  EXPECT_EQ(place_of(drawn, 14), (TilePlace{.tile = 2, .place = 2}));
}

TEST(Tiles, OfARowAreItsChunks) {
  const std::vector<float> values = normal_values(600);
  EXPECT_EQ(tile_order(flat_tiles(600, 256), values), values);
  EXPECT_EQ(memory_order(flat_tiles(600, 256), values), values);
}

TEST(Tiles, MustFit) {
  for (const TileShape& tiles :
       {matrix(4, 6, 3, 3), matrix(4, 6, 2, 4), matrix(4, 6, 0, 3), matrix(1, 6, 2, 3)}) {
    EXPECT_THROW(require_tiles(tiles), std::invalid_argument);
  }
  EXPECT_THROW((void)tile_order(matrix(4, 6, 2, 3), std::vector<float>(23)), std::invalid_argument);
}

// 160 = 4 * 40, 100 = 2 * 50, 50257 = 1733 * 29; 67, 71 and 7919 are prime.
TEST(Templar, TakesTheLargestDivisorsUpTo64) {
  EXPECT_TRUE(same(templar_tiles(4096, 11008), matrix(4096, 11008, 64, 64)));
  EXPECT_TRUE(same(templar_tiles(96, 160), matrix(96, 160, 48, 40)));
  EXPECT_TRUE(same(templar_tiles(100, 64), matrix(100, 64, 50, 64)));
  EXPECT_TRUE(same(templar_tiles(96, 160, 32), matrix(96, 160, 32, 32)));
  EXPECT_TRUE(same(templar_tiles(67, 71, 16), flat_tiles(std::size_t{67} * 71, 16)));
  EXPECT_TRUE(same(templar_tiles(50257, 768), matrix(50257, 768, 29, 64)));
  EXPECT_TRUE(same(templar_tiles(1, 4096), matrix(1, 4096, 1, 64)));
  EXPECT_TRUE(same(templar_tiles(7919, 8), matrix(7919, 8, 1, 8)));
  EXPECT_TRUE(same(templar_tiles(1, 7919), flat_tiles(7919, 64)));
  EXPECT_TRUE(same(templar_tiles(67, 71), flat_tiles(std::size_t{67} * 71, 64)));
}

TEST(Templar, KeepsTheShareOfATileAndAllOfAVector) {
  const auto keep = [](std::size_t rows, std::size_t columns) {
    const Format format = templar_format(sparseloco.format, templar_tiles(rows, columns));
    EXPECT_NO_THROW((void)sparse_wire(format, rows * columns));
    return format.keep;
  };
  EXPECT_EQ(keep(128, 128), 64);
  EXPECT_EQ(keep(96, 160), 30);   // 64 * 1920 / 4096
  EXPECT_EQ(keep(100, 100), 38);  // 64 * 2500 / 4096 = 39.06
  EXPECT_EQ(keep(7919, 8), 2);    // 64 * 8 / 4096 = 0.125
  EXPECT_EQ(keep(1, 4096), 64);   // of 64
  EXPECT_EQ(keep(1, 4095), 62);   // of 63: an even number
  EXPECT_EQ(keep(67, 71), 64);
}

TEST(Tiles, WireIsThatOfTheTileOrderedTensor) {
  for (const auto& [rows, columns] : {std::pair{96, 160}, {100, 64}, {128, 128}, {1, 192}}) {
    const TileShape tiles =
        templar_tiles(static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
    Codec codec = sparseloco;
    codec.format = templar_format(codec.format, tiles);
    const std::vector<float> values = normal_values(elements_of(tiles));
    std::vector<std::byte> wire(encoded_bytes(codec.format, values.size()));
    encode_tiles(codec, tiles, values, {}, wire);
    EXPECT_EQ(wire, encoded(codec, tile_order(tiles, values)));
    std::vector<float> out(values.size());
    decode_tiles(codec, tiles, wire, out);
    EXPECT_EQ(tile_order(tiles, out), decoded(codec, wire, values.size()));
  }
}

// The largest of each tile travel, wherever the others are larger.
TEST(Tiles, SendTheLargestOfEachTile) {
  const TileShape tiles = templar_tiles(128, 128);
  std::vector<float> values(elements_of(tiles), 0.0f), out(values.size());
  for (std::size_t i = 0; i < 64; ++i) {
    values[i * 128 + i] = 1;            // tile 0
    values[(64 + i) * 128 + i] = 1000;  // tile 2
  }
  std::vector<std::byte> wire(encoded_bytes(topk64.format, values.size()));
  encode_tiles(topk64, tiles, values, {}, wire);
  decode_tiles(topk64, tiles, wire, out);
  EXPECT_EQ(out, values);
}

// A cosine along the rows of a tile is one coefficient of DeMo's transform.
TEST(Tiles, OfDemoAreTransformedAsMatrices) {
  const TileShape tiles = templar_tiles(128, 192);
  std::vector<float> values(elements_of(tiles)), out(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(
        std::cos(std::numbers::pi * static_cast<double>((2 * (i % 192 % 64) + 1) * 5) / 128));
  }
  Codec one = demo_top32;
  one.format.keep = 2;
  std::vector<std::byte> wire(encoded_bytes(one.format, values.size()));
  encode_tiles(one, tiles, values, {}, wire);
  decode_tiles(one, tiles, wire, out);
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(out[i], values[i], 1e-5);
}

TEST(Tiles, AreWholeGroups) {
  const TileShape tiles = templar_tiles(96, 160);
  std::vector<float> values(elements_of(tiles));
  std::vector<std::byte> wire(encoded_bytes(topk64.format, values.size()));
  EXPECT_THROW(encode_tiles(topk64, tiles, values, {}, wire), std::invalid_argument);
  EXPECT_THROW(decode_tiles(topk64, tiles, wire, values), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
