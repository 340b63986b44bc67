// SPDX-License-Identifier: Apache-2.0
// Tiles of codecs/tiles/tiles.hpp as kernels read and write them: in vectors of 4 places as floats,
// which are one access to memory where rows of a tile are a multiple of 4.
#pragma once

#include "codecs/cuda/lane.cuh"
#include "codecs/tiles/tiles.hpp"

namespace codecs::cuda {

inline constexpr unsigned kMostTileElements = 1u << 13;
inline constexpr int kInverseBits = 26;

// The places of a thread's vectors.
struct Places {
  unsigned first = 0;
  unsigned stride = 0;
  __device__ unsigned at(int vector) const {
    return first + static_cast<unsigned>(vector) * stride;
  }
};

struct TileMap {
  std::size_t elements = 0;
  std::size_t row_of_tiles = 0;  // elements of one
  std::size_t gap = 0;           // elements between two rows of a tile
  unsigned across = 1;           // tiles in a row of tiles
  unsigned tile_columns = 1;
  unsigned tile_elements = 1;
  unsigned inverse = 0;  // place * inverse >> kInverseBits is the place's row
  bool vectors = false;  // are neighbours in memory

  // Index in memory of a tile's first element, and, from there, of a place.
  __device__ std::size_t first(unsigned tile) const {
    if (gap == 0) return std::size_t{tile} * tile_elements;
    return tile / across * row_of_tiles + std::size_t{tile % across} * tile_columns;
  }
  __device__ std::size_t offset(unsigned place) const {
    if (gap == 0) return place;
    const auto row = static_cast<unsigned>(std::uint64_t{place} * inverse >> kInverseBits);
    return place + row * gap;
  }
  // Elements of the tile that starts there: fewer in the last of a row of elements.
  __device__ unsigned valid(std::size_t first) const {
    const std::size_t left = elements - first;
    return left < tile_elements ? static_cast<unsigned>(left) : tile_elements;
  }

  // Whether all of the tile that starts there is in memory, in vectors.
  __device__ bool is_whole(std::size_t first) const {
    return vectors && elements - first >= tile_elements;
  }

  // Vectors at places that are multiples of 4; zeros beyond the tile.
  template <typename Value, int kVectors>
  __device__ void load(const Value* values, std::size_t first, Places places,
                       uint4 (&x)[kVectors]) const {
    if (is_whole(first)) {
      load_whole(values + first, places, x);
    } else {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) x[v] = load_parts(values, first, places.at(v));
    }
  }
  template <int kVectors>
  __device__ void store(const uint4 (&x)[kVectors], std::size_t first, Places places,
                        float* values) const {
    if (is_whole(first)) {
      store_whole(x, places, values + first);
    } else {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) store_parts(x[v], first, places.at(v), values);
    }
  }

  // Of a whole tile.
  template <typename Value, int kVectors>
  __device__ void load_whole(const Value* tile, Places places, uint4 (&x)[kVectors]) const {
    if (is_run<kVectors>(places)) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) x[v] = load_four(tile + places.at(v));
      return;
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      const bool inside = places.at(v) < tile_elements;
      x[v] = inside ? load_four(tile + offset(places.at(v))) : make_uint4(0, 0, 0, 0);
    }
  }
  template <int kVectors>
  __device__ void store_whole(const uint4 (&x)[kVectors], Places places, float* tile) const {
    if (is_run<kVectors>(places)) {
#pragma unroll
      for (int v = 0; v < kVectors; ++v) *reinterpret_cast<uint4*>(tile + places.at(v)) = x[v];
      return;
    }
#pragma unroll
    for (int v = 0; v < kVectors; ++v) {
      if (places.at(v) >= tile_elements) continue;
      *reinterpret_cast<uint4*>(tile + offset(places.at(v))) = x[v];
    }
  }

 private:
  // Whether the vectors are as far apart in memory as in the tile, and all of them in it.
  template <int kVectors>
  __device__ bool is_run(Places places) const {
    return gap == 0 && places.at(kVectors - 1) < tile_elements;
  }
  template <typename Value>
  __device__ uint4 load_parts(const Value* values, std::size_t first, unsigned place) const {
    return make_uint4(load_part(values, first, place), load_part(values, first, place + 1),
                      load_part(values, first, place + 2), load_part(values, first, place + 3));
  }
  __device__ void store_parts(const uint4& vector, std::size_t first, unsigned place,
                              float* values) const {
    store_part(vector.x, first, place, values);
    store_part(vector.y, first, place + 1, values);
    store_part(vector.z, first, place + 2, values);
    store_part(vector.w, first, place + 3, values);
  }
  template <typename Value>
  __device__ std::uint32_t load_part(const Value* values, std::size_t first, unsigned place) const {
    const std::size_t at = first + offset(place);
    return place < tile_elements && at < elements ? __float_as_uint(as_float(values[at])) : 0u;
  }
  __device__ void store_part(std::uint32_t word, std::size_t first, unsigned place,
                             float* values) const {
    const std::size_t at = first + offset(place);
    if (place < tile_elements && at < elements) values[at] = __uint_as_float(word);
  }
};

// `inverse` is exact for places and columns up to kMostTileElements, whose product is below
// 2^kInverseBits.
inline TileMap tile_map(const TileShape& tiles) {
  require_tiles(tiles);
  const std::size_t in_tile = tile_elements(tiles);
  require(in_tile <= kMostTileElements, "a tile has at most 8192 elements");
  const std::size_t across = (tiles.columns + tiles.tile_columns - 1) / tiles.tile_columns;
  require(across * (tiles.rows / tiles.tile_rows) <= 0x7FFFFFFFu, "more blocks than a grid has");
  return {.elements = elements_of(tiles),
          .row_of_tiles = tiles.tile_rows * tiles.columns,
          .gap = tiles.rows == 1 ? 0 : tiles.columns - tiles.tile_columns,
          .across = static_cast<unsigned>(across),
          .tile_columns = static_cast<unsigned>(tiles.tile_columns),
          .tile_elements = static_cast<unsigned>(in_tile),
          .inverse = (1u << kInverseBits) / static_cast<unsigned>(tiles.tile_columns) + 1,
          .vectors = tiles.tile_columns % 4 == 0};
}

}  // namespace codecs::cuda
