// SPDX-License-Identifier: Apache-2.0
// Reproducible kernel times: back to back, on buffers that the caller rotates so that no cache
// holds them, warmed up, timed by events, as the median of many samples.
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
  int launches = 0;     // number timed
};

[[nodiscard]] Timing summarise(std::vector<double> seconds, int launches);

// Size of the current device's L2 cache.
[[nodiscard]] std::size_t l2_bytes();

class Benchmark {
 public:
  // Needs a buffer of twice the L2 cache. Each time comes from up to `samples` samples.
  explicit Benchmark(int samples);

  // Time of the work that `launch` enqueues, which may be several kernels. `launch` receives the
  // launch's number, by which it chooses its buffers, and must enqueue on the stream only. Stays
  // within the budget except for a few launches.
  [[nodiscard]] Timing time(const std::function<void(std::size_t, cudaStream_t)>& launch,
                            double budget_s) const;

  // Time from the start of one empty kernel to the start of the next, in a queue that never runs
  // dry.
  [[nodiscard]] Timing launch_latency() const;

  [[nodiscard]] const Stream& stream() const { return stream_; }

 private:
  // Keeps the stream busy for about this long, so that the following work is queued completely
  // before it starts.
  void hold(double seconds) const;
  void read_buffer() const;

  int samples_;
  Stream stream_;
  DeviceBuffer<uint4> buffer_;
  double read_s_ = 0;  // time to read the buffer once
};

[[nodiscard]] double seconds_between(const Event& start, const Event& end);

}  // namespace codecs::cuda
