// Times of kernels as rows that another run reproduces: caches flushed, warmed up, by events, the
// median of many launches.
#pragma once

#include <cstddef>
#include <functional>

#include "codecs/cuda/resources.hpp"

namespace codecs::cuda {

struct Timing {
  double median_s = 0;
  double spread_s = 0;  // interquartile range
};

class Benchmark {
 public:
  // Needs a buffer of twice the L2 cache. `launches` are timed, after a few that are not.
  explicit Benchmark(int launches);

  // Time of what `launch` enqueues, each time with an L2 that holds none of it. It is called with
  // the index of the launch, and must enqueue on the stream alone.
  [[nodiscard]] Timing time(const std::function<void(int, cudaStream_t)>& launch) const;

  // From the start of one empty kernel to the start of the next, in a queue that never runs dry.
  [[nodiscard]] Timing launch_latency() const;

  [[nodiscard]] const Stream& stream() const { return stream_; }

 private:
  void flush_l2() const;

  int launches_;
  Stream stream_;
  DeviceBuffer<uint4> flush_;
};

}  // namespace codecs::cuda
