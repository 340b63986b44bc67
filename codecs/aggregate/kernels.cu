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

// Averages and steps 4 values.
struct AverageSink {
  AggregateTarget target = {};
  Average average = Average::senders;

  __device__ void store(const float* sums, const std::uint8_t* senders, float peers,
                        std::size_t at) const {
    float out[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float over = average == Average::senders ? static_cast<float>(senders[i]) : peers;
      out[i] = senders[i] > 0 ? __fdiv_rn(sums[i], over) : 0.0f;
    }
    if (target.averages != nullptr) put(out, at, target.averages);
    if (target.parameters == nullptr) return;
    const uint4 old = load_vector(target.parameters, target.elements, at);
    const float rate = -target.learning_rate;
    const float moved[4] = {__fmaf_rn(rate, out[0], __uint_as_float(old.x)),
                            __fmaf_rn(rate, out[1], __uint_as_float(old.y)),
                            __fmaf_rn(rate, out[2], __uint_as_float(old.z)),
                            __fmaf_rn(rate, out[3], __uint_as_float(old.w))};
    put(moved, at, target.parameters);
  }

 private:
  __device__ void put(const float (&x)[4], std::size_t at, float* values) const {
    store_vector(make_uint4(__float_as_uint(x[0]), __float_as_uint(x[1]), __float_as_uint(x[2]),
                            __float_as_uint(x[3])),
                 target.elements, at, values);
  }
};

template <int kChunk>
__global__ void __launch_bounds__(ChunkBlock<kChunk>::kThreads)
    aggregate_kernel(SparseShape shape, Wires wires, PeerScratch scratch, AverageSink sink) {
  using Block = ChunkBlock<kChunk>;
  __shared__ Sums<kChunk> s;
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
      shape, wires.bytes, wires.inputs, [&](unsigned peer, const Entry& entry) {
        const float factor = s.factors[peer];
        if (factor < 0) return;
        s.values[entry.index] = __fmaf_rn(factor, entry.value, s.values[entry.index]);
        s.senders[entry.index] = static_cast<std::uint8_t>(s.senders[entry.index] + 1);
      });
  const std::size_t first = std::size_t{blockIdx.x} * kChunk;
#pragma unroll
  for (int v = 0; v < Block::kVectors; ++v) {
    const unsigned at = Block::index(4 * v);
    sink.store(s.values + at, s.senders + at, peers, first + at);
  }
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
  require(wires.inputs >= 0 && static_cast<std::size_t>(wires.inputs) <= kMostPeers,
          "at most 255 peers");
  if (target.elements == 0) return;
  const SparseShape shape = sparse_shape(format, target.elements);
  const PeerScratch scratch = peer_scratch(shape.chunks, wires.inputs, target.scratch);
  const auto peers = static_cast<std::size_t>(wires.inputs);
  if (peers > 0) {
    launch(squares_kernel,
           {.blocks = chunk_blocks(shape.chunks * peers, kWarpsPerBlock), .stream = stream}, shape,
           wires, scratch);
    launch(norms_kernel,
           {.blocks = static_cast<unsigned>(peers), .threads = kTensorThreads, .stream = stream},
           shape.chunks, scratch);
  }
  launch(factors_kernel, {.blocks = 1, .stream = stream}, wires.inputs, aggregation.clip, scratch,
         target.nonfinite);
  with_chunk(format, [&]<typename Static>(Static) {
    launch(aggregate_kernel<Static::kChunk>,
           {.blocks = chunk_blocks(shape.chunks, 1),
            .threads = Static::Block::kThreads,
            .stream = stream},
           shape, wires, scratch, AverageSink{target, aggregation.average});
  });
}

}  // namespace codecs::cuda
