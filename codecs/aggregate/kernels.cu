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

// A warp takes one chunk of one wire; `blocks` take those of one peer.
__global__ void __launch_bounds__(kThreadsPerBlock)
    squares_kernel(SparseShape shape, Wires wires, unsigned blocks, PeerScratch scratch) {
  const unsigned peer = blockIdx.x / blocks, lane = threadIdx.x % kWarpLanes;
  const std::size_t chunk =
      std::size_t{blockIdx.x - peer * blocks} * kWarpsPerBlock + threadIdx.x / kWarpLanes;
  if (chunk >= shape.chunks) return;
  const std::byte* const wire = wires.bytes + peer * shape.bytes;
  double sum = 0;
  for (unsigned e = lane; e < kept_in(shape, chunk); e += kWarpLanes) {
    const double value = load_value(shape, wire, chunk, e);
    sum += value * value;
  }
  sum = warp_sum(sum);
  if (lane == 0) scratch.squares[peer * shape.chunks + chunk] = sum;
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

// Of a chunk. Threads read and write vectors of 4.
template <int kChunk>
struct alignas(16) Sums {
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
  __device__ void store(Sums<kChunk>& s, unsigned peers) const {
    using Block = ChunkBlock<kChunk>;
    const std::size_t first = tiles.first(blockIdx.x);
    divide(s, peers);
    uint4 out[Block::kVectors], moved[Block::kVectors] = {};
    if (parameters != nullptr) tiles.load(parameters, first, Block::places(), moved);
#pragma unroll
    for (int v = 0; v < Block::kVectors; ++v) {
      out[v] = *reinterpret_cast<const uint4*>(s.values + Block::index(4 * v));
      moved[v] = make_uint4(step(out[v].x, moved[v].x), step(out[v].y, moved[v].y),
                            step(out[v].z, moved[v].z), step(out[v].w, moved[v].w));
    }
    if (averages != nullptr) tiles.store(out, first, Block::places(), averages);
    if (parameters != nullptr) tiles.store(moved, first, Block::places(), parameters);
  }

 private:
  // A thread's sums become averages. Few are of several senders, so a thread divides these alone, one
  // after the other: a warp takes as long as its lane with the most.
  template <int kChunk>
  __device__ void divide(Sums<kChunk>& s, unsigned peers) const {
    using Block = ChunkBlock<kChunk>;
    static_assert(Block::kVectors <= 8, "a bit for each value");
    const unsigned counts = average == Average::senders ? 0xFEFEFEFEu : peers > 1 ? ~0u : 0u;
    unsigned many = 0;  // bit v + 8 i of value i of vector v
#pragma unroll
    for (int v = 0; v < Block::kVectors; ++v) {
      const auto senders =
          *reinterpret_cast<const unsigned*>(s.senders + Block::index(4 * v)) & counts;
      const unsigned tops = (((senders & 0x7F7F7F7Fu) + 0x7F7F7F7Fu) | senders) & 0x80808080u;
      many |= tops >> (7 - v);
    }
    for (; many != 0; many &= many - 1) {
      const int bit = __ffs(static_cast<int>(many)) - 1;
      const unsigned at = Block::index(4 * (bit % 8) + bit / 8);
      const unsigned over = average == Average::senders ? s.senders[at] : peers;
      s.values[at] = __fdiv_rn(s.values[at], static_cast<float>(over));
    }
  }
  __device__ std::uint32_t step(std::uint32_t mean, std::uint32_t parameter) const {
    return __float_as_uint(
        __fmaf_rn(-learning_rate, __uint_as_float(mean), __uint_as_float(parameter)));
  }
};

template <int kChunk>
__global__ void __launch_bounds__(ChunkBlock<kChunk>::kThreads)
    aggregate_kernel(SparseShape shape, Wires wires, PeerScratch scratch, AverageSink sink) {
  using Block = ChunkBlock<kChunk>;
  __shared__ Sums<kChunk> s;
  __shared__ Entry staged[Block::kThreads];
#pragma unroll
  for (int v = 0; v < Block::kVectors; ++v) {
    const unsigned at = Block::index(4 * v);
    *reinterpret_cast<uint4*>(s.values + at) = make_uint4(0, 0, 0, 0);
    *reinterpret_cast<unsigned*>(s.senders + at) = 0;
  }
  for (int i = static_cast<int>(threadIdx.x); i < wires.inputs; i += Block::kThreads) {
    s.factors[i] = scratch.factors[i];
  }
  const auto peers = static_cast<unsigned>(*scratch.peers);
  __syncthreads();
  for_each_entry<Block::kThreads>(shape, wires, staged, [&](unsigned peer, const Entry& entry) {
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
    const unsigned blocks = blocks_of(shape.chunks, kWarpsPerBlock);
    launch(squares_kernel, {.blocks = blocks_of(peers * blocks, 1), .stream = stream}, shape, wires,
           blocks, scratch);
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
