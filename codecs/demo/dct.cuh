// SPDX-License-Identifier: Apache-2.0
// The transform of codecs/demo/dct.hpp by a block of 4 threads for each column of its tile.
#pragma once

#include <cuda_runtime.h>

#include "codecs/demo/dct.hpp"

namespace codecs::cuda {

template <std::size_t kSide>
__device__ const DctBasis<kSide> kDeviceBasis = dct_basis<kSide>();

// In shared memory: of a tile of 64 x 64 48 KiB, all that a block has without asking.
template <std::size_t kSideOf>
struct DctTile {
  static constexpr int kSide = static_cast<int>(kSideOf);
  static constexpr int kElements = kSide * kSide;
  static constexpr int kThreads = 4 * kSide;
  static constexpr int kRows = kSide / 4;  // that a thread computes of its column

  float x[kElements];
  float half[kElements];
  float basis[kElements];  // transposed for the forward transform

  // What a thread has of the transformed tile: kRows rows of its column.
  static __device__ int column() { return static_cast<int>(threadIdx.x) % kSide; }
  static __device__ int first_row() { return static_cast<int>(threadIdx.x) / kSide * kRows; }
  static __device__ unsigned place(int row) {
    return static_cast<unsigned>((first_row() + row) * kSide + column());
  }
};

template <bool kInverse, std::size_t kSide>
__device__ void load_basis(DctTile<kSide>& s) {
  using Tile = DctTile<kSide>;
  for (int i = static_cast<int>(threadIdx.x); i < Tile::kElements; i += Tile::kThreads) {
    const int from = kInverse ? i : i % Tile::kSide * Tile::kSide + i / Tile::kSide;
    s.basis[i] = kDeviceBasis<kSide>.values[from];
  }
}

// Transforms s.x; the whole block calls, after a barrier.
template <std::size_t kSide>
__device__ void transform_tile(DctTile<kSide>& s, float (&out)[DctTile<kSide>::kRows]) {
  using Tile = DctTile<kSide>;
  constexpr int kRows = Tile::kRows;
  const int column = Tile::column(), first_row = Tile::first_row();
#pragma unroll
  for (int i = 0; i < kRows; ++i) out[i] = 0;
  for (int j = 0; j < Tile::kSide; ++j) {
    const float x = s.x[j * Tile::kSide + column];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      out[i] = __fmaf_rn(s.basis[j * Tile::kSide + first_row + i], x, out[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    s.half[Tile::place(i)] = out[i];
    out[i] = 0;
  }
  __syncthreads();
  for (int j = 0; j < Tile::kSide; ++j) {
    const float b = s.basis[j * Tile::kSide + column];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      out[i] = __fmaf_rn(s.half[(first_row + i) * Tile::kSide + j], b, out[i]);
    }
  }
}

}  // namespace codecs::cuda
