// Progress on standard error for work of more than two seconds; silent when it takes less, and when
// standard error is not a terminal it prints whole lines.
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace apps {

class Progress {
 public:
  Progress(std::string what, int steps);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step();                                 // one more has begun
  void expect(int steps) { steps_ += steps; }  // more than were known of
  // For work whose end is not known: how far it is, where it is time to say so.
  void show(const std::function<std::string()>& how_far);

 private:
  [[nodiscard]] bool is_due();
  static void print(const std::string& line);

  std::string what_;
  int steps_;
  int begun_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point printed_;
};

}  // namespace apps
