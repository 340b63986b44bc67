// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <vector>

#include "codecs/cuda/benchmark.hpp"
#include "codecs/cuda/launch.cuh"

namespace codecs::cuda {
namespace {

constexpr int kWarmUp = 3;
constexpr int kReadThreads = 512;
constexpr double kLongestHold = 1e-3;

// Reads, so that the cache is left with clean lines: what writing leaves there would be written
// back during the timed kernels.
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

int attribute(cudaDeviceAttr which) {
  int device = 0, value = 0;
  check(cudaGetDevice(&device));
  check(cudaDeviceGetAttribute(&value, which, device));
  return value;
}

}  // namespace

Timing summarise(std::vector<double> seconds, int launches) {
  std::sort(seconds.begin(), seconds.end());
  const auto at = [&](double quantile) {
    return seconds[static_cast<std::size_t>(quantile * static_cast<double>(seconds.size() - 1))];
  };
  return {.median_s = at(0.5), .spread_s = at(0.75) - at(0.25), .launches = launches};
}

double seconds_between(const Event& start, const Event& end) {
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.get(), end.get()));
  return static_cast<double>(milliseconds) * 1e-3;
}

std::size_t l2_bytes() { return static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)); }

Benchmark::Benchmark(int samples) : samples_(samples), buffer_(2 * l2_bytes() / sizeof(uint4) + 1) {
  check(cudaMemset(buffer_.get(), 0, buffer_.size_bytes()));
  check(cudaDeviceSynchronize());
  const Event start, end;
  read_buffer();
  start.record(stream_);
  read_buffer();
  end.record(stream_);
  stream_.wait();
  read_s_ = std::max(seconds_between(start, end), 1e-6);
}

void Benchmark::read_buffer() const {
  const auto blocks = 2 * static_cast<unsigned>(attribute(cudaDevAttrMultiProcessorCount));
  launch(read_kernel, {.blocks = blocks, .threads = kReadThreads, .stream = stream_.get()},
         buffer_.get(), buffer_.size(), reinterpret_cast<unsigned*>(buffer_.get()));
}

void Benchmark::hold(double seconds) const {
  const double times = std::min(seconds, kLongestHold) / read_s_;
  for (int i = 0; i < 1 + static_cast<int>(times); ++i) read_buffer();
}

Timing Benchmark::time(const std::function<void(std::size_t, cudaStream_t)>& launch,
                       double budget_s) const {
  std::size_t number = 0;
  // The first launch of a kernel loads it.
  launch(number++, stream_.get());
  stream_.wait();
  const Event first, last;
  const auto began = std::chrono::steady_clock::now();
  first.record(stream_);
  for (int i = 0; i < kWarmUp; ++i) launch(number++, stream_.get());
  last.record(stream_);
  const std::chrono::duration<double> enqueued = std::chrono::steady_clock::now() - began;
  stream_.wait();

  const Repeats repeat = repeats(seconds_between(first, last) / kWarmUp, budget_s, samples_);
  const std::vector<Event> starts(static_cast<std::size_t>(repeat.samples)), ends(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    hold(1.5 * enqueued.count() / kWarmUp * repeat.launches);
    starts[i].record(stream_);
    for (int k = 0; k < repeat.launches; ++k) launch(number++, stream_.get());
    ends[i].record(stream_);
  }
  stream_.wait();
  std::vector<double> seconds(starts.size());
  for (std::size_t i = 0; i < starts.size(); ++i) {
    seconds[i] = seconds_between(starts[i], ends[i]) / repeat.launches;
  }
  return summarise(std::move(seconds), repeat.total());
}

Timing Benchmark::launch_latency() const {
  constexpr int kRow = 500;
  std::vector<double> seconds;
  for (int i = 0; i < samples_ + kWarmUp; ++i) {
    const Event start, end;
    hold(kLongestHold);
    start.record(stream_);
    for (int k = 0; k < kRow; ++k) {
      launch(empty_kernel, {.blocks = 1, .threads = 1, .stream = stream_.get()});
    }
    end.record(stream_);
    stream_.wait();
    if (i >= kWarmUp) seconds.push_back(seconds_between(start, end) / kRow);
  }
  return summarise(std::move(seconds), samples_ * kRow);
}

}  // namespace codecs::cuda
