// SPDX-License-Identifier: Apache-2.0
#include "codecs/aggregate/kernels.hpp"
#include "codecs/cuda/wide_sums.cuh"
#include "codecs/top_k/launch.cuh"
#include "codecs/top_k/reduce.cuh"

namespace codecs::cuda {
namespace {

// What the passes hand on: squares of each peer's chunks, norms, factors, and how many peers there
// are that were not left out.
struct PeerScratch {
  double* squares = nullptr;
  double* norms = nullptr;
  float* factors = nullptr;
  float* peers = nullptr;
};

PeerScratch peer_scratch(std::size_t chunks, int peers, std::byte* scratch) {
  PeerScratch parts;
  parts.squares = reinterpret_cast<double*>(scratch);
  parts.norms = parts.squares + chunks * static_cast<std::size_t>(peers);
  parts.factors = reinterpret_cast<float*>(parts.norms + peers);
  parts.peers = parts.factors + peers;
  return parts;
}

// A warp takes one chunk of one wire.
__global__ void __launch_bounds__(kThreadsPerBlock)
    squares_kernel(SparseShape shape, Wires wires, PeerScratch scratch) {
  const std::size_t index = std::size_t{blockIdx.x} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  const std::size_t peer = index / shape.chunks, chunk = index % shape.chunks;
  if (peer >= static_cast<std::size_t>(wires.inputs)) return;
  double sum = 0;
  for (unsigned e = threadIdx.x % kWarpLanes; e < kept_in(shape, chunk); e += kWarpLanes) {
    const double value = load_entry(shape, wires.bytes + peer * shape.bytes, chunk, e).value;
    sum += value * value;
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kWarpLanes == 0) scratch.squares[index] = sum;
}

// A block takes one peer.
__global__ void __launch_bounds__(kTensorThreads)
    norms_kernel(std::size_t chunks, PeerScratch scratch) {
  const double* const squares = scratch.squares + blockIdx.x * chunks;
  double sum[1] = {0};
#pragma unroll 8
  for (std::size_t chunk = threadIdx.x; chunk < chunks; chunk += kTensorThreads) {
    sum[0] += squares[chunk];
  }
  block_sums(sum);
  if (threadIdx.x == 0) scratch.norms[blockIdx.x] = __dsqrt_rn(sum[0]);
}

// One block, a thread for each peer: the median is the norm with as many below it as it takes.
__global__ void __launch_bounds__(kThreadsPerBlock)
    factors_kernel(int peers, bool clip, PeerScratch scratch, unsigned* nonfinite) {
  __shared__ double median;
  const int peer = static_cast<int>(threadIdx.x);
  const double own = peer < peers ? scratch.norms[peer] : 0;
  const bool counts = peer < peers && is_finite(own);
  int finite = 0, below = 0;
  for (int other = 0; other < peers; ++other) {
    const double norm = scratch.norms[other];
    if (!is_finite(norm)) continue;
    ++finite;
    if (norm < own || (norm == own && other < peer)) ++below;
  }
  if (counts && below == (finite - 1) / 2) median = own;
  __syncthreads();
  if (peer == 0) *scratch.peers = static_cast<float>(finite);
  if (peer >= peers) return;
  const double factor = clip && counts ? fmin(1.0, __ddiv_rn(median, own + kNormGuard)) : 1.0;
  scratch.factors[peer] = counts ? __double2float_rn(factor) : -1.0f;
  if (!counts && nonfinite != nullptr) *nonfinite = 1;
}

template <int kChunk>
struct Sums {
  float values[kChunk];
  std::uint8_t senders[kChunk];
  float factors[kMostPeers];
};

// Averages and steps a thread's part of a tile.
struct AverageSink {
  TileMap tiles = {};
  float* averages = nullptr;
  float* parameters = nullptr;
  float learning_rate = 1;
  Average average = Average::senders;

  template <int kChunk>
  __device__ void store(const Sums<kChunk>& s, float peers) const {
    using Block = ChunkBlock<kChunk>;
    const std::size_t first = tiles.first(blockIdx.x);
    uint4 out[Block::kVectors], moved[Block::kVectors] = {};
    if (parameters != nullptr) tiles.load(parameters, first, Block::places(), moved);
#pragma unroll
    for (int v = 0; v < Block::kVectors; ++v) {
      const unsigned at = Block::index(4 * v);
      const float mean[4] = {mean_of(s, at, peers), mean_of(s, at + 1, peers),
                             mean_of(s, at + 2, peers), mean_of(s, at + 3, peers)};
      out[v] = make_uint4(__float_as_uint(mean[0]), __float_as_uint(mean[1]),
                          __float_as_uint(mean[2]), __float_as_uint(mean[3]));
      moved[v] = make_uint4(step(mean[0], moved[v].x), step(mean[1], moved[v].y),
                            step(mean[2], moved[v].z), step(mean[3], moved[v].w));
    }
    if (averages != nullptr) tiles.store(out, first, Block::places(), averages);
    if (parameters != nullptr) tiles.store(moved, first, Block::places(), parameters);
  }

 private:
  template <int kChunk>
  __device__ float mean_of(const Sums<kChunk>& s, unsigned at, float peers) const {
    const float over = average == Average::senders ? static_cast<float>(s.senders[at]) : peers;
    return s.senders[at] > 0 ? __fdiv_rn(s.values[at], over) : 0.0f;
  }
  __device__ std::uint32_t step(float mean, std::uint32_t parameter) const {
    return __float_as_uint(__fmaf_rn(-learning_rate, mean, __uint_as_float(parameter)));
  }
};

template <int kChunk>
__global__ void __launch_bounds__(ChunkBlock<kChunk>::kThreads)
    aggregate_kernel(SparseShape shape, Wires wires, PeerScratch scratch, AverageSink sink) {
  using Block = ChunkBlock<kChunk>;
  __shared__ Sums<kChunk> s;
  __shared__ Entry staged[Block::kThreads];
  for (unsigned i = threadIdx.x; i < kChunk; i += Block::kThreads) {
    s.values[i] = 0;
    s.senders[i] = 0;
  }
  for (int i = static_cast<int>(threadIdx.x); i < wires.inputs; i += Block::kThreads) {
    s.factors[i] = scratch.factors[i];
  }
  const float peers = *scratch.peers;
  __syncthreads();
  for_each_entry<Block::kThreads>(
      shape, wires, staged, [&](unsigned peer, const Entry& entry) {
        const float factor = s.factors[peer];
        if (factor < 0) return;
        s.values[entry.index] = __fmaf_rn(factor, entry.value, s.values[entry.index]);
        s.senders[entry.index] = static_cast<std::uint8_t>(s.senders[entry.index] + 1);
      });
  sink.store(s, peers);
}

AverageSink average_sink(const Format& format, Average average, const AggregateTarget& target) {
  const TileShape tiles =
      target.tiles.columns == 0 ? flat_tiles(target.elements, format.group) : target.tiles;
  require(tile_elements(tiles) == format.group, "a tile is a chunk");
  require(elements_of(tiles) == target.elements, "as many elements as the matrix has");
  return {.tiles = tile_map(tiles),
          .averages = target.averages,
          .parameters = target.parameters,
          .learning_rate = target.learning_rate,
          .average = average};
}

}  // namespace

std::size_t aggregate_scratch_bytes(const Format& format, std::size_t elements, int peers) {
  const auto count = static_cast<std::size_t>(peers);
  return sparse_wire(format, elements).chunks * count * sizeof(double) +
         count * (sizeof(double) + sizeof(float)) + sizeof(float);
}

void aggregate_async(const Format& format, const Aggregation& aggregation, const Wires& wires,
                     const AggregateTarget& target, cudaStream_t stream) {
  require(format.rotation == Rotation::none, "values as they are");
  require(!is_enumerated(format), "kernels aggregate indices that are sent one by one");
  require(wires.inputs >= 0 && static_cast<std::size_t>(wires.inputs) <= kMostPeers,
          "at most 255 peers");
  if (target.elements == 0) return;
  const AverageSink sink = average_sink(format, aggregation.average, target);
  const SparseShape shape = sparse_shape(format, target.elements);
  const PeerScratch scratch = peer_scratch(shape.chunks, wires.inputs, target.scratch);
  const auto peers = static_cast<std::size_t>(wires.inputs);
  if (peers > 0) {
    launch(squares_kernel,
           {.blocks = blocks_of(shape.chunks * peers, kWarpsPerBlock), .stream = stream}, shape,
           wires, scratch);
    launch(norms_kernel,
           {.blocks = static_cast<unsigned>(peers), .threads = kTensorThreads, .stream = stream},
           shape.chunks, scratch);
  }
  launch(factors_kernel, {.blocks = 1, .stream = stream}, wires.inputs, aggregation.clip, scratch,
         target.nonfinite);
  with_chunk(format, [&]<typename Static>(Static) {
    launch(aggregate_kernel<Static::kChunk>,
           {.blocks = blocks_of(shape.chunks, 1),
            .threads = Static::Block::kThreads,
            .stream = stream},
           shape, wires, scratch, sink);
  });
}

}  // namespace codecs::cuda
