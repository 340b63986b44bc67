// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "apps/streams.hpp"

namespace apps {
namespace {

constexpr std::chrono::milliseconds kFirst{2000};
constexpr std::chrono::milliseconds kAtTerminal{200};
constexpr std::chrono::minutes kInLog{1};

}  // namespace

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

SweepProgress::~SweepProgress() {
  if (shown_ && isatty(STDERR_FILENO) != 0) write_error("\r\033[K");
}

double SweepProgress::elapsed_s() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

void SweepProgress::show(std::int64_t ended, std::int64_t failed) {
  const auto now = Clock::now();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const std::chrono::milliseconds pause = !terminal ? kInLog : shown_ ? kAtTerminal : kFirst;
  if (ended == 0 || now - printed_ < pause) return;
  shown_ = true;
  printed_ = now;
  const double rate = static_cast<double>(ended) / elapsed_s();
  write_error(
      fmt::format("{}{} of {} points, {:.{}f} a second, {} left{}{}", terminal ? "\r\033[K" : "",
                  before_ + ended, before_ + open_, rate, rate < 10 ? 2 : 0,
                  duration_text(static_cast<double>(open_ - ended) / rate),
                  failed == 0 ? std::string() : fmt::format("; {} refused or crashed", failed),
                  terminal ? "" : "\n"));
}

}  // namespace apps
