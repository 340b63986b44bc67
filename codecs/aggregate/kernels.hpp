// SPDX-License-Identifier: Apache-2.0
// CUDA kernels that aggregate sparse wires; codecs/cuda/kernels.hpp states the contract of all
// launchers.
#pragma once

#include "codecs/aggregate/aggregate.hpp"
#include "codecs/cuda/kernels.hpp"

namespace codecs::cuda {

struct AggregateTarget {
  float* averages = nullptr;    // null: not wanted
  float* parameters = nullptr;  // take the outer step; null: not wanted
  std::size_t elements = 0;
  TileShape tiles = {};  // for averages and parameters; without columns: consecutive chunks
  float learning_rate = 1;
  std::byte* scratch = nullptr;   // aggregate_scratch_bytes
  unsigned* nonfinite = nullptr;  // becomes 1 if a peer was left out; null: not wanted
};

[[nodiscard]] std::size_t aggregate_scratch_bytes(const Format& format, std::size_t elements,
                                                  int peers);

// One wire per peer.
void aggregate_async(const Format& format, const Aggregation& aggregation, const Wires& wires,
                     const AggregateTarget& target, cudaStream_t stream);

}  // namespace codecs::cuda
