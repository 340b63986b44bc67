// SPDX-License-Identifier: Apache-2.0
// The transform of codecs/demo/dct.hpp by a block of 4 threads for each column of its tile.
#pragma once

#include <cuda_runtime.h>

#include "codecs/demo/dct.hpp"

namespace codecs::cuda {

template <std::size_t kSide>
constexpr DctBasis<kSide> transposed(const DctBasis<kSide>& basis) {
  DctBasis<kSide> result = basis;
  for (std::size_t i = 0; i < kSide * kSide; ++i) {
    result.values[i] = basis.values[i % kSide * kSide + i / kSide];
  }
  return result;
}

// As the transform reads it, so that a block copies it in whole vectors.
template <std::size_t kSide, bool kInverse>
alignas(16) __device__ const DctBasis<kSide> kDeviceBasis = kInverse
                                                                ? dct_basis<kSide>()
                                                                : transposed(dct_basis<kSide>());

// In shared memory: of a tile of 64 x 64 48 KiB, all that a block has without asking.
template <std::size_t kSideOf>
struct alignas(16) DctTile {
  static constexpr int kSide = static_cast<int>(kSideOf);
  static constexpr int kElements = kSide * kSide;
  static constexpr int kThreads = 4 * kSide;
  // Rows and columns that a thread computes: shared memory hands out a quarter as many words as the
  // multiply-adds take, so each word must serve several.
  static constexpr int kRows = kSide / 16;
  static constexpr int kColumns = 4;

  float x[kElements];
  float half[kElements];
  float basis[kElements];  // transposed for the forward transform

  static __device__ int first_column() {
    return static_cast<int>(threadIdx.x) % (kSide / kColumns) * kColumns;
  }
  static __device__ int first_row() {
    return static_cast<int>(threadIdx.x) / (kSide / kColumns) * kRows;
  }
  // Of the thread's part of a row in the tile.
  static __device__ unsigned place(int row) {
    return static_cast<unsigned>((first_row() + row) * kSide + first_column());
  }
};

template <std::size_t kSide>
using DctPart = float[DctTile<kSide>::kRows][DctTile<kSide>::kColumns];

template <bool kInverse, std::size_t kSide>
__device__ void load_basis(DctTile<kSide>& s) {
  using Tile = DctTile<kSide>;
  const float* const basis = kDeviceBasis<kSide, kInverse>.values;
#pragma unroll
  for (int i = 0; i < Tile::kElements / 4; i += Tile::kThreads) {
    const int at = 4 * (i + static_cast<int>(threadIdx.x));
    *reinterpret_cast<float4*>(s.basis + at) = *reinterpret_cast<const float4*>(basis + at);
  }
}

__device__ inline void load_run(const float* from, float (&to)[4]) {
  const float4 four = *reinterpret_cast<const float4*>(from);
  to[0] = four.x;
  to[1] = four.y;
  to[2] = four.z;
  to[3] = four.w;
}
__device__ inline void store_run(const float (&from)[4], float* to) {
  *reinterpret_cast<float4*>(to) = make_float4(from[0], from[1], from[2], from[3]);
}

// Transforms s.x; the whole block calls, after a barrier.
template <std::size_t kSide>
__device__ void transform_tile(DctTile<kSide>& s, DctPart<kSide>& out) {
  using Tile = DctTile<kSide>;
  const int first_column = Tile::first_column(), first_row = Tile::first_row();
  DctPart<kSide> half = {};
#pragma unroll 4
  for (int j = 0; j < Tile::kSide; ++j) {
    float x[Tile::kColumns];
    load_run(s.x + j * Tile::kSide + first_column, x);
#pragma unroll
    for (int r = 0; r < Tile::kRows; ++r) {
      const float basis = s.basis[j * Tile::kSide + first_row + r];
#pragma unroll
      for (int c = 0; c < Tile::kColumns; ++c) half[r][c] = __fmaf_rn(basis, x[c], half[r][c]);
    }
  }
#pragma unroll
  for (int r = 0; r < Tile::kRows; ++r) {
    store_run(half[r], s.half + Tile::place(r));
#pragma unroll
    for (int c = 0; c < Tile::kColumns; ++c) out[r][c] = 0;
  }
  __syncthreads();
  for (int first = 0; first < Tile::kSide; first += 4) {
    float basis[4][Tile::kColumns];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      load_run(s.basis + (first + j) * Tile::kSide + first_column, basis[j]);
    }
#pragma unroll
    for (int r = 0; r < Tile::kRows; ++r) {
      float row[4];
      load_run(s.half + (first_row + r) * Tile::kSide + first, row);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int c = 0; c < Tile::kColumns; ++c) {
          out[r][c] = __fmaf_rn(row[j], basis[j][c], out[r][c]);
        }
      }
    }
  }
}

}  // namespace codecs::cuda
