// Times of kernels as rows that another run reproduces: back to back, on buffers that the caller
// rotates so that no cache holds them, warmed up, by events, the median of many samples.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "codecs/cuda/repeats.hpp"
#include "codecs/cuda/resources.hpp"

namespace codecs::cuda {

struct Timing {
  double median_s = 0;
  double spread_s = 0;  // interquartile range
  int launches = 0;     // that were timed
};

[[nodiscard]] Timing summarise(std::vector<double> seconds, int launches);

// Of the current device's L2 cache.
[[nodiscard]] std::size_t l2_bytes();

class Benchmark {
 public:
  // Needs a buffer of twice the L2 cache. Each time is of up to `samples` samples.
  explicit Benchmark(int samples);

  // What `launch` enqueues, which may be several kernels. It is called with the running number of
  // the launch, by which it chooses its buffers, and must enqueue on the stream alone. Stays within
  // the budget, but for a few launches.
  [[nodiscard]] Timing time(const std::function<void(std::size_t, cudaStream_t)>& launch,
                            double budget_s) const;

  // From the start of one empty kernel to the start of the next, in a queue that never runs dry.
  [[nodiscard]] Timing launch_latency() const;

  [[nodiscard]] const Stream& stream() const { return stream_; }

 private:
  // Keeps the stream busy for about this long, so that what is enqueued next is queued completely
  // before it starts.
  void hold(double seconds) const;
  void read_buffer() const;

  int samples_;
  Stream stream_;
  DeviceBuffer<uint4> buffer_;
  double read_s_ = 0;  // of the buffer, once
};

[[nodiscard]] double seconds_between(const Event& start, const Event& end);

}  // namespace codecs::cuda
