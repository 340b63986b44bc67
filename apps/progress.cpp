#include "apps/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace apps {

using Clock = std::chrono::steady_clock;

Progress::Progress(std::string what, int steps)
    : what_(std::move(what)), steps_(steps), start_(Clock::now()), printed_(start_) {}

Progress::~Progress() {
  if (shown_ && isatty(STDERR_FILENO) != 0) fmt::print(stderr, "\r\033[K");
}

void Progress::step() {
  ++begun_;
  const auto now = Clock::now();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto pause =
      shown_ ? std::chrono::milliseconds(terminal ? 200 : 5000) : std::chrono::milliseconds(2000);
  if (now - (shown_ ? printed_ : start_) < pause) return;
  shown_ = true;
  printed_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - start_).count();
  const double left_s = elapsed_s * (steps_ - begun_ + 1) / (begun_ - 1 > 0 ? begun_ - 1 : 1);
  fmt::print(stderr, "{}{}: {} of {}, {:.0f} s left{}", terminal ? "\r\033[K" : "", what_, begun_,
             steps_, left_s, terminal ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace apps
