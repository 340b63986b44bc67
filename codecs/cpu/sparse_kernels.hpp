// SPDX-License-Identifier: Apache-2.0
// What the vector code of sparse wires takes: codecs/sparse/sparse.hpp, codecs/top_k/top_k.hpp.
#pragma once

#include "codecs/aggregate/aggregate.hpp"
#include "codecs/cpu/kernels.hpp"
#include "codecs/sparse/sparse.hpp"
#include "codecs/top_k/top_k.hpp"

namespace codecs::cpu {

inline constexpr std::size_t kBins = 4;  // of a codebook

// Of one chunk, for the codebook of the tensor.
struct ChunkSums {
  double values = 0;
  double squares = 0;
  std::array<double, kBins> totals = {};  // of value - shift, by code
  std::array<double, kBins> members = {};
};

struct SparseJob {
  Format format = {};
  SparseWire layout = {};
  Input input = {};
  std::byte* wire = nullptr;  // zeros at first
  float* selected = nullptr;  // what is sent, `keep` places a chunk
  ChunkSums* sums = nullptr;  // one a chunk, for codebook2
};

struct SparseSum {
  Format format = {};
  SparseWire layout = {};
  const std::byte* wires = nullptr;
  std::size_t inputs = 1;
  float* sums = nullptr;
  bool adds = false;  // to what `sums` has, which is overwritten otherwise
};

struct SparseAggregate {
  SparseSum sum = {};  // sum.sums are the averages
  Average average = Average::senders;
  const float* factors = nullptr;  // one a wire; negative: left out
  float all = 0;                   // wires that are not left out
};

// Each works on chunks [first, last).
struct SparseKernels {
  // Indices, `selected`, and the residuals of what is not sent; and for elements without a codebook
  // all else, for codebook2 the sums of values and squares.
  void (*select)(const SparseJob& job, std::size_t first, std::size_t last);
  // Codes under a codebook's shift and scale, and the sums of its bins.
  void (*code)(const SparseJob& job, const Codebook& book, std::size_t first, std::size_t last);
  // Residuals of what was sent, under the whole codebook.
  void (*keep)(const SparseJob& job, const Codebook& book, std::size_t first, std::size_t last);
  void (*sum)(const SparseSum& job, std::size_t first, std::size_t last);
  // Of one wire: the sum of the squares of each chunk's values.
  void (*squares)(const SparseSum& job, double* squares, std::size_t first, std::size_t last);
  void (*aggregate)(const SparseAggregate& job, std::size_t first, std::size_t last);
};

}  // namespace codecs::cpu
