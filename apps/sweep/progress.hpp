// SPDX-License-Identifier: Apache-2.0
// Progress of a sweep, on standard error: points, rate, time left. At a terminal, one line that is
// rewritten; in a log, a line each minute.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace apps {

// "2 h 5 min", "3 min 20 s", "12 s".
[[nodiscard]] std::string duration_text(double seconds);

class SweepProgress {
 public:
  SweepProgress(std::int64_t before, std::int64_t open)
      : before_(before), open_(open), start_(Clock::now()), printed_(start_) {}
  ~SweepProgress();
  SweepProgress(const SweepProgress&) = delete;
  SweepProgress& operator=(const SweepProgress&) = delete;

  // Number of points ended since the start, and of those without figures.
  void show(std::int64_t ended, std::int64_t failed);
  [[nodiscard]] double elapsed_s() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::int64_t before_, open_;
  bool shown_ = false;
  Clock::time_point start_, printed_;
};

}  // namespace apps
