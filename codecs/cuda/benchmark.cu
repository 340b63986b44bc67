#include <algorithm>
#include <vector>

#include "codecs/cuda/benchmark.hpp"
#include "codecs/cuda/launch.cuh"

namespace codecs::cuda {
namespace {

constexpr int kWarmUp = 3;
constexpr int kFlushThreads = 256;
constexpr int kFlushBlocks = 1024;

// Reads, so that the cache is left with clean lines: what a flush by writing leaves would be
// written back during the timed kernel.
__global__ void read_kernel(const uint4* buffer, std::size_t count, unsigned* never) {
  unsigned seen = 0;
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const uint4 v = buffer[i];
    seen |= v.x | v.y | v.z | v.w;
  }
  if (seen != 0) *never = seen;  // the buffer is zeros
}

__global__ void empty_kernel() {}

std::size_t flush_vectors() {
  int device = 0, l2_bytes = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, device));
  return 2 * static_cast<std::size_t>(l2_bytes) / sizeof(uint4) + 1;
}

Timing summarise(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double quantile) {
    return seconds[static_cast<std::size_t>(quantile * static_cast<double>(seconds.size() - 1))];
  };
  return {.median_s = at(0.5), .spread_s = at(0.75) - at(0.25)};
}

double seconds_between(const Event& start, const Event& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.get(), end.get()));
  return milliseconds * 1e-3;
}

}  // namespace

Benchmark::Benchmark(int launches) : launches_(launches), flush_(flush_vectors()) {
  check(cudaMemset(flush_.get(), 0, flush_.size_bytes()));
  check(cudaDeviceSynchronize());
}

void Benchmark::flush_l2() const {
  launch(read_kernel, {.blocks = kFlushBlocks, .threads = kFlushThreads, .stream = stream_.get()},
         flush_.get(), flush_.size(), reinterpret_cast<unsigned*>(flush_.get()));
}

Timing Benchmark::time(const std::function<void(int, cudaStream_t)>& launch) const {
  for (int i = 0; i < kWarmUp; ++i) launch(i, stream_.get());
  stream_.wait();
  // All are enqueued before any is waited for, and the flush takes longer than a launch: the timed
  // kernel is always in the queue when its turn comes.
  const std::vector<Event> starts(static_cast<std::size_t>(launches_)), ends(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    flush_l2();
    starts[i].record(stream_);
    launch(static_cast<int>(i), stream_.get());
    ends[i].record(stream_);
  }
  stream_.wait();
  std::vector<double> seconds(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) seconds[i] = seconds_between(starts[i], ends[i]);
  return summarise(seconds);
}

Timing Benchmark::launch_latency() const {
  constexpr int kRow = 1000;
  std::vector<double> seconds;
  for (int i = 0; i < launches_ + kWarmUp; ++i) {
    const Event start, end;
    start.record(stream_);
    for (int k = 0; k < kRow; ++k) {
      launch(empty_kernel, {.blocks = 1, .threads = 1, .stream = stream_.get()});
    }
    end.record(stream_);
    stream_.wait();
    if (i >= kWarmUp) seconds.push_back(seconds_between(start, end) / kRow);
  }
  return summarise(seconds);
}

}  // namespace codecs::cuda
