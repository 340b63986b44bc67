// SPDX-License-Identifier: Apache-2.0
// Tiles of a matrix that lies row by row in memory. SparseLoCo (arXiv 2508.15706) and DeMo (arXiv
// 2411.19870) take the largest of each tile, "(y h) (x w) -> y x (h w)": tiles follow each other
// row by row, and so do the places in a tile. Of 4 x 6 elements in tiles of 2 x 3:
//
//     tile 0   0  1  2 |  3  4  5   tile 1        tile   0 .............  1 ............. 2 ...
//              6  7  8 |  9 10 11                 place  0 1 2 3 4 5      0 1 2 3  4  5   0 ...
//            ----------+----------                element 0 1 2 6 7 8     3 4 5 9 10 11   12 ...
//     tile 2  12 13 14 | 15 16 17   tile 3
//             18 19 20 | 21 22 23
//
// The wire of a codec over tiles is that of the same codec on the tensor in this order;
// element-wise operations, such as error feedback and outer steps, do not depend on the order.
// Chunks of consecutive elements are tiles of one row; only the last of these may be short.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace codecs {

struct TileShape {
  std::size_t rows = 1;
  std::size_t columns = 0;
  std::size_t tile_rows = 1;     // divide rows
  std::size_t tile_columns = 1;  // divide columns, unless there is one row
};
// Throws std::invalid_argument for tiles that do not fit.
void require_tiles(const TileShape& tiles);

// One row of `elements`, in chunks.
[[nodiscard]] TileShape flat_tiles(std::size_t elements, std::size_t chunk);

[[nodiscard]] std::size_t elements_of(const TileShape& tiles);
[[nodiscard]] std::size_t tile_elements(const TileShape& tiles);  // of a whole one

struct TilePlace {
  std::size_t tile = 0;
  std::size_t place = 0;  // in the tile
  friend bool operator==(const TilePlace&, const TilePlace&) = default;
};
[[nodiscard]] TilePlace place_of(const TileShape& tiles, std::size_t element);
[[nodiscard]] std::size_t element_at(const TileShape& tiles, const TilePlace& at);

// The elements tile by tile, and back.
[[nodiscard]] std::vector<float> tile_order(const TileShape& tiles, std::span<const float> matrix);
[[nodiscard]] std::vector<float> memory_order(const TileShape& tiles, std::span<const float> tiled);

// A codec over tiles, each of which must be a whole number of groups.
void encode_tiles(const Codec& codec, const TileShape& tiles, std::span<const float> matrix,
                  const RandomKey& key, std::span<std::byte> wire);
void decode_tiles(const Codec& codec, const TileShape& tiles, std::span<const std::byte> wire,
                  std::span<float> matrix);

// The tiles of SparseLoCo's implementation (tplr-ai/templar): each side is the largest divisor of
// the dimension up to `side`, and a vector is one row. If that would leave tiles of a single
// element, the elements are one row in chunks of `side`.
[[nodiscard]] TileShape templar_tiles(std::size_t rows, std::size_t columns, std::size_t side = 64);
// `format` with such tiles as groups. Each tile of a matrix sends the same share as a group of
// `format`, each tile of a vector the same number (64 of 64: all); in both cases at least 2, at
// most all, and an even number.
[[nodiscard]] Format templar_format(const Format& format, const TileShape& tiles);

}  // namespace codecs
