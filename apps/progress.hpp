// SPDX-License-Identifier: Apache-2.0
// Progress of work that takes more than two seconds, on one line of the terminal at standard error.
// Silent if that is not a terminal but a log, or a program that reads errors.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace apps {

class Progress {
 public:
  using Clock = std::chrono::steady_clock;
  Progress(std::string what, int steps, std::function<Clock::time_point()> now = Clock::now);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();                                 // one more has begun
  void expect(int steps) { steps_ += steps; }  // more than previously known
  // For work of unknown extent: its progress so far, if it is time to show it.
  void show(const std::function<std::string()>& how_far);

 private:
  [[nodiscard]] bool is_due();

  std::string what_;
  int steps_;
  int begun_ = 0;
  const bool terminal_;
  bool shown_ = false;
  std::function<Clock::time_point()> now_;
  Clock::time_point start_;
  Clock::time_point printed_;
};

}  // namespace apps
