// SPDX-License-Identifier: Apache-2.0
// Progress of work that takes more than two seconds, on one line of the terminal at standard error.
// Silent if that is not a terminal but a log, or a program that reads errors; but for work of hours,
// which can log a line each minute.
#pragma once

#include <chrono>
#include <functional>
#include <mutex>
#include <string>

#include "sim/study/watch.hpp"

namespace apps {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  Progress(std::string what, int steps, std::function<Clock::time_point()> now = Clock::now);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // All from any thread.
  void step();             // one more has begun
  void expect(int steps);  // more than previously known
  [[nodiscard]] sim::study::Watch watch() {
    return {[this](int steps) { expect(steps); }, [this] { step(); }};
  }
  // For work of unknown extent: its progress so far, if it is time to show it.
  void show(const std::function<std::string()>& how_far);
  void log_each_minute() { logs_ = true; }
  [[nodiscard]] double elapsed_s() const;

 private:
  [[nodiscard]] bool is_due();
  void print(const std::string& line) const;

  std::mutex mutex_;
  std::string what_;
  int steps_;
  int begun_ = 0;
  const bool terminal_;
  bool logs_ = false;
  bool shown_ = false;
  std::function<Clock::time_point()> now_;
  Clock::time_point start_;
  Clock::time_point printed_;
};

}  // namespace apps
