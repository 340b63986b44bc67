// SPDX-License-Identifier: Apache-2.0
#include "apps/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "apps/streams.hpp"
#include "sim/base/printable.hpp"

namespace apps {
namespace {

constexpr std::chrono::milliseconds kFirst{2000};
constexpr std::chrono::milliseconds kNext{200};
constexpr const char* kClearLine = "\r\033[K";

void print(const std::string& line) { write_error(kClearLine + sim::printable_lines(line)); }

}  // namespace

Progress::Progress(std::string what, int steps, std::function<Clock::time_point()> now)
    : what_(std::move(what)),
      steps_(steps),
      terminal_(isatty(STDERR_FILENO) != 0),
      now_(std::move(now)),
      start_(now_()),
      printed_(start_) {}

Progress::~Progress() {
  if (shown_) print("");
}

bool Progress::is_due() {
  if (!terminal_) return false;
  const auto now = now_();
  if (now - printed_ < (shown_ ? kNext : kFirst)) return false;
  shown_ = true;
  printed_ = now;
  return true;
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
