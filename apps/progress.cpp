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

bool Progress::is_due() {
  const auto now = Clock::now();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const auto pause =
      shown_ ? std::chrono::milliseconds(terminal ? 200 : 5000) : std::chrono::milliseconds(2000);
  if (now - (shown_ ? printed_ : start_) < pause) return false;
  shown_ = true;
  printed_ = now;
  return true;
}

void Progress::print(const std::string& line) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  fmt::print(stderr, "{}{}{}", terminal ? "\r\033[K" : "", line, terminal ? "" : "\n");
  std::fflush(stderr);
}

void Progress::step() {
  ++begun_;
  if (!is_due()) return;
  const double elapsed_s = std::chrono::duration<double>(printed_ - start_).count();
  const double left_s = elapsed_s * (steps_ - begun_ + 1) / (begun_ - 1 > 0 ? begun_ - 1 : 1);
  print(fmt::format("{}: {} of {}, {:.0f} s left", what_, begun_, steps_, left_s));
}

void Progress::show(const std::function<std::string()>& how_far) {
  if (is_due()) print(fmt::format("{}: {}", what_, how_far()));
}

}  // namespace apps
