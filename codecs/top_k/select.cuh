// The largest of a chunk whose values are in the registers of a block, in the order of their index.
//
// A first bound comes from the threads' own maxima: at least `count` values reach the count-th
// largest of these, and of random values few more do. These candidates are ranked among each other.
// Where they are too many (ties, sorted values, a large count), the threshold is found by
// bisection of the bits over all values.
#pragma once

#include "codecs/cuda/lane.cuh"

namespace codecs::cuda {

// A block's share of a chunk: vectors of 4 values, one from each of the rows that the block spans.
template <int kChunk>
struct ChunkBlock {
  static constexpr int kThreads = kChunk / 4 < 256 ? kChunk / 4 : 256;
  static constexpr int kVectors = kChunk / (4 * kThreads);
  static constexpr int kValues = 4 * kVectors;
  static constexpr int kWords = kChunk / 32;  // of a bitmap
  static constexpr int kMostKept = kChunk / 8;

  // Index in the chunk of this thread's value i.
  static __device__ unsigned index(int i) {
    return static_cast<unsigned>(i / 4 * 4 * kThreads + i % 4) + 4 * threadIdx.x;
  }
};

inline constexpr unsigned kMostCandidates = 256;

// In shared memory.
template <int kChunk>
struct Selection {
  using Block = ChunkBlock<kChunk>;
  unsigned long long candidates[kMostCandidates];  // magnitude's bits, then 0xFFFF - index
  unsigned maxima[Block::kThreads];
  unsigned selected[Block::kWords];  // bitmap over the chunk
  unsigned ties[Block::kWords];
  unsigned before[Block::kWords];  // selected of lower words
  unsigned counts[2][kWarpLanes];
  unsigned candidate_count;
  unsigned bound;
  float values[Block::kMostKept];
  std::uint16_t indices[Block::kMostKept];
};

__device__ inline unsigned key_of(float x) { return __float_as_uint(x) & 0x7FFFFFFFu; }

__device__ inline void set_bit(unsigned* bitmap, unsigned index) {
  atomicOr(&bitmap[index / 32], 1u << (index % 32));
}

// A key that at least `count` of the maxima reach, found by one warp.
template <int kChunk>
__device__ unsigned bound_of_maxima(const Selection<kChunk>& s, unsigned count) {
  constexpr int kPerLane = ChunkBlock<kChunk>::kThreads / kWarpLanes;
  unsigned keys[kPerLane];
#pragma unroll
  for (int i = 0; i < kPerLane; ++i) keys[i] = s.maxima[threadIdx.x + kWarpLanes * i];
  unsigned bound = 0;
  for (unsigned bit = 1u << 30; bit > 0; bit >>= 1) {
    unsigned reach = 0;
#pragma unroll
    for (int i = 0; i < kPerLane; ++i) reach += keys[i] >= (bound | bit) ? 1u : 0u;
    reach = __reduce_add_sync(kAllLanes, reach);
    if (reach >= count) bound |= bit;
    // A few candidates more cost less than further rounds.
    if (reach >= count && reach <= count + count / 8) break;
  }
  return bound;
}

template <int kChunk>
__device__ void collect_candidates(const float (&x)[ChunkBlock<kChunk>::kValues], unsigned valid,
                                   Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  const unsigned bound = s.bound;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) {
    if (key_of(x[i]) < bound || Block::index(i) >= valid) continue;
    const unsigned slot = atomicAdd(&s.candidate_count, 1u);
    if (slot >= kMostCandidates) break;
    s.candidates[slot] =
        static_cast<unsigned long long>(key_of(x[i])) << 32 | (0xFFFFu - Block::index(i));
  }
}

template <int kChunk>
__device__ void rank_candidates(unsigned count, Selection<kChunk>& s) {
  for (unsigned j = threadIdx.x; j < s.candidate_count; j += ChunkBlock<kChunk>::kThreads) {
    const unsigned long long mine = s.candidates[j];
    unsigned rank = 0;
    for (unsigned i = 0; i < s.candidate_count; ++i) rank += s.candidates[i] > mine ? 1u : 0u;
    if (rank < count) set_bit(s.selected, 0xFFFFu - static_cast<unsigned>(mine & 0xFFFFu));
  }
}

// How many of the chunk's values reach `key`. `round` alternates between calls.
template <int kChunk>
__device__ unsigned count_reaching(const float (&x)[ChunkBlock<kChunk>::kValues], unsigned valid,
                                   unsigned key, unsigned round, Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  unsigned reach = 0;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) {
    reach += key_of(x[i]) >= key && Block::index(i) < valid ? 1u : 0u;
  }
  reach = __reduce_add_sync(kAllLanes, reach);
  if (threadIdx.x % kWarpLanes == 0) s.counts[round % 2][threadIdx.x / kWarpLanes] = reach;
  __syncthreads();
  unsigned sum = 0;
  for (int warp = 0; warp < Block::kThreads / kWarpLanes; ++warp) sum += s.counts[round % 2][warp];
  return sum;
}

// Adds the `need` lowest ties to the selection; one warp's work.
template <int kChunk>
__device__ void take_ties(unsigned need, Selection<kChunk>& s) {
  unsigned before = 0;
  for (int first = 0; first < ChunkBlock<kChunk>::kWords; first += kWarpLanes) {
    const int w = first + static_cast<int>(threadIdx.x);
    unsigned word = w < ChunkBlock<kChunk>::kWords ? s.ties[w] : 0u;
    const auto own = static_cast<unsigned>(__popc(word));
    unsigned through = own;
#pragma unroll
    for (int stride = 1; stride < kWarpLanes; stride *= 2) {
      const unsigned lower = __shfl_up_sync(kAllLanes, through, stride);
      if (static_cast<int>(threadIdx.x) >= stride) through += lower;
    }
    const unsigned earlier = before + through - own;
    const unsigned take = need > earlier ? need - earlier : 0u;
    while (static_cast<unsigned>(__popc(word)) > take) word ^= 1u << (31 - __clz(word));
    if (w < ChunkBlock<kChunk>::kWords) s.selected[w] |= word;
    before += __shfl_sync(kAllLanes, through, kWarpLanes - 1);
  }
}

template <int kChunk>
__device__ void bisect(const float (&x)[ChunkBlock<kChunk>::kValues], unsigned valid,
                       unsigned count, Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  unsigned threshold = 0, reach = valid, round = 0;
  for (unsigned bit = 1u << 30; bit > 0 && reach != count; bit >>= 1) {
    const unsigned now = count_reaching<kChunk>(x, valid, threshold | bit, round++, s);
    if (now < count) continue;
    threshold |= bit;
    reach = now;
  }
  // Either exactly `count` reach the threshold, or it is the last one's key and some tie with it.
  const bool tied = reach != count;
  const unsigned above = tied ? count_reaching<kChunk>(x, valid, threshold + 1, round, s) : count;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) {
    if (key_of(x[i]) < threshold || Block::index(i) >= valid) continue;
    set_bit(tied && key_of(x[i]) == threshold ? s.ties : s.selected, Block::index(i));
  }
  __syncthreads();
  if (tied && threadIdx.x < kWarpLanes) take_ties<kChunk>(count - above, s);
}

// Counts of the bitmap's lower words; one warp's work.
template <int kChunk>
__device__ void count_before(Selection<kChunk>& s) {
  unsigned before = 0;
  for (int first = 0; first < ChunkBlock<kChunk>::kWords; first += kWarpLanes) {
    const int w = first + static_cast<int>(threadIdx.x);
    const auto own =
        static_cast<unsigned>(w < ChunkBlock<kChunk>::kWords ? __popc(s.selected[w]) : 0);
    unsigned through = own;
#pragma unroll
    for (int stride = 1; stride < kWarpLanes; stride *= 2) {
      const unsigned lower = __shfl_up_sync(kAllLanes, through, stride);
      if (static_cast<int>(threadIdx.x) >= stride) through += lower;
    }
    if (w < ChunkBlock<kChunk>::kWords) s.before[w] = before + through - own;
    before += __shfl_sync(kAllLanes, through, kWarpLanes - 1);
  }
}

// Hands the selected values on, in the order of their index.
template <int kChunk>
__device__ void store_selected(const float (&x)[ChunkBlock<kChunk>::kValues],
                               Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) {
    const unsigned index = Block::index(i), word = s.selected[index / 32];
    if ((word >> (index % 32) & 1u) == 0) continue;
    const unsigned at =
        s.before[index / 32] + static_cast<unsigned>(__popc(word & ((1u << (index % 32)) - 1u)));
    s.indices[at] = static_cast<std::uint16_t>(index);
    s.values[at] = x[i];
  }
}

// Fills s.indices and s.values with the `count` largest of the first `valid` values. The whole
// block calls; count <= valid, and count <= kMostKept. Ends with a barrier.
template <int kChunk>
__device__ void select_largest(const float (&x)[ChunkBlock<kChunk>::kValues], unsigned valid,
                               unsigned count, Selection<kChunk>& s) {
  using Block = ChunkBlock<kChunk>;
  unsigned largest = 0;
#pragma unroll
  for (int i = 0; i < Block::kValues; ++i) largest = max(largest, key_of(x[i]));
  s.maxima[threadIdx.x] = largest;
  for (int w = static_cast<int>(threadIdx.x); w < Block::kWords; w += Block::kThreads) {
    s.selected[w] = 0;
    s.ties[w] = 0;
  }
  if (threadIdx.x == 0) s.candidate_count = 0;
  __syncthreads();
  // With more than half of the maxima the bound would be too low to leave few candidates.
  const bool few = count <= Block::kThreads / 2;
  if (few && threadIdx.x < kWarpLanes) {
    const unsigned bound = bound_of_maxima<kChunk>(s, count);
    if (threadIdx.x == 0) s.bound = bound;
  }
  __syncthreads();
  if (few) collect_candidates<kChunk>(x, valid, s);
  __syncthreads();
  if (few && s.candidate_count <= kMostCandidates) {
    rank_candidates<kChunk>(count, s);
  } else {
    bisect<kChunk>(x, valid, count, s);
  }
  __syncthreads();
  if (threadIdx.x < kWarpLanes) count_before<kChunk>(s);
  __syncthreads();
  store_selected<kChunk>(x, s);
  __syncthreads();
}

}  // namespace codecs::cuda
