// SPDX-License-Identifier: Apache-2.0
#include "apps/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "apps/streams.hpp"
#include "apps/words.hpp"
#include "sim/base/printable.hpp"

namespace apps {
namespace {

constexpr std::chrono::milliseconds kFirst{2000};
constexpr std::chrono::milliseconds kNext{200};
constexpr std::chrono::minutes kInLog{1};

}  // namespace

Progress::Progress(std::string what, int steps, std::function<Clock::time_point()> now)
    : what_(std::move(what)),
      steps_(steps),
      terminal_(isatty(STDERR_FILENO) != 0),
      now_(std::move(now)),
      start_(now_()),
      printed_(start_) {}

Progress::~Progress() {
  if (shown_ && terminal_) print("");
}

double Progress::elapsed_s() const {
  return std::chrono::duration<double>(now_() - start_).count();
}

void Progress::print(const std::string& line) const {
  const std::string text = sim::printable_lines(line);
  write_error(terminal_ ? "\r\033[K" + text : text + "\n");
}

bool Progress::is_due() {
  if (!terminal_ && !logs_) return false;
  const auto now = now_();
  const std::chrono::milliseconds pause = !terminal_ ? kInLog : shown_ ? kNext : kFirst;
  if (now - printed_ < pause) return false;
  shown_ = true;
  printed_ = now;
  return true;
}

void Progress::step() {
  const std::lock_guard lock(mutex_);
  ++begun_;
  steps_ = std::max(steps_, begun_);  // some searches take more than was expected
  if (!is_due()) return;
  const double left_s = elapsed_s() * (steps_ - begun_ + 1) / std::max(1, begun_ - 1);
  print(fmt::format("{}: {} of {}, {} left", what_, begun_, steps_, duration_text(left_s)));
}

void Progress::expect(int steps) {
  const std::lock_guard lock(mutex_);
  steps_ += steps;
}

void Progress::show(const std::function<std::string()>& how_far) {
  const std::lock_guard lock(mutex_);
  if (is_due()) print(fmt::format("{}: {}", what_, how_far()));
}

}  // namespace apps
