// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "codecs/tiles/tiles.hpp"

namespace codecs {
namespace {

std::size_t largest_divisor(std::size_t dimension, std::size_t most) {
  std::size_t divisor = std::min(dimension, most);
  while (divisor > 1 && dimension % divisor != 0) --divisor;
  return divisor;
}

}  // namespace

void require_tiles(const TileShape& tiles) {
  require(tiles.tile_rows > 0 && tiles.tile_columns > 0, "a tile has elements");
  require(tiles.rows % tiles.tile_rows == 0, "tiles divide the rows");
  require(tiles.rows == 1 || tiles.columns % tiles.tile_columns == 0, "tiles divide the columns");
}

TileShape flat_tiles(std::size_t elements, std::size_t chunk) {
  return {.columns = elements, .tile_columns = chunk};
}

std::size_t elements_of(const TileShape& tiles) { return tiles.rows * tiles.columns; }

std::size_t tile_elements(const TileShape& tiles) { return tiles.tile_rows * tiles.tile_columns; }

TilePlace place_of(const TileShape& tiles, std::size_t element) {
  const std::size_t row = element / tiles.columns, column = element % tiles.columns;
  const std::size_t y = row / tiles.tile_rows, h = row % tiles.tile_rows;
  const std::size_t x = column / tiles.tile_columns, w = column % tiles.tile_columns;
  return {.tile = y * (tiles.columns / tiles.tile_columns) + x,
          .place = h * tiles.tile_columns + w};
}

std::size_t element_at(const TileShape& tiles, const TilePlace& at) {
  const std::size_t across = (tiles.columns + tiles.tile_columns - 1) / tiles.tile_columns;
  const std::size_t y = at.tile / across, h = at.place / tiles.tile_columns;
  const std::size_t x = at.tile % across, w = at.place % tiles.tile_columns;
  return (y * tiles.tile_rows + h) * tiles.columns + x * tiles.tile_columns + w;
}

std::vector<float> tile_order(const TileShape& tiles, std::span<const float> matrix) {
  require_tiles(tiles);
  require(matrix.size() == elements_of(tiles), "as many values as the matrix has");
  std::vector<float> tiled(matrix.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const TilePlace at = place_of(tiles, i);
    tiled[at.tile * tile_elements(tiles) + at.place] = matrix[i];
  }
  return tiled;
}

std::vector<float> memory_order(const TileShape& tiles, std::span<const float> tiled) {
  require_tiles(tiles);
  require(tiled.size() == elements_of(tiles), "as many values as the matrix has");
  std::vector<float> matrix(tiled.size());
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    const TilePlace at = place_of(tiles, i);
    matrix[i] = tiled[at.tile * tile_elements(tiles) + at.place];
  }
  return matrix;
}

void encode_tiles(const Codec& codec, const TileShape& tiles, std::span<const float> matrix,
                  const RandomKey& key, std::span<std::byte> wire) {
  require(tile_elements(tiles) % codec.format.group == 0, "tiles are whole groups");
  codec.encode(codec.format, tile_order(tiles, matrix), key, wire);
}

void decode_tiles(const Codec& codec, const TileShape& tiles, std::span<const std::byte> wire,
                  std::span<float> matrix) {
  require(tile_elements(tiles) % codec.format.group == 0, "tiles are whole groups");
  std::vector<float> tiled(matrix.size());
  codec.decode(codec.format, wire, tiled);
  std::ranges::copy(memory_order(tiles, tiled), matrix.begin());
}

TileShape templar_tiles(std::size_t rows, std::size_t columns, std::size_t side) {
  const TileShape tiles{.rows = rows,
                        .columns = columns,
                        .tile_rows = largest_divisor(rows, side),
                        .tile_columns = largest_divisor(columns, side)};
  return tile_elements(tiles) > 1 ? tiles : flat_tiles(rows * columns, side);
}

Format templar_format(const Format& format, const TileShape& tiles) {
  Format tiled = format;
  tiled.group = tile_elements(tiles);
  const std::size_t share =
      tiles.rows == 1 ? format.keep : format.keep * tiled.group / format.group;
  tiled.keep = std::max<std::size_t>(std::min(share, tiled.group) / 2 * 2, 2);
  return tiled;
}

}  // namespace codecs
