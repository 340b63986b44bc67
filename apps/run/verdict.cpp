// SPDX-License-Identifier: Apache-2.0
#include "apps/run/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace apps {
namespace {

// Mean errors of throughputs and speed-ups against what is published are 2.5 to 5 %.
constexpr double kErrs = 0.03;

std::string named(const sim::StepReport& report) {
  if (!report.flags || report.flags->empty()) return report.scheme;
  return fmt::format("{} ({})", report.scheme, *report.flags);
}

const sim::StepReport* fastest(std::span<const sim::StepReport> reports, bool fits) {
  const sim::StepReport* found = nullptr;
  for (const sim::StepReport& report : reports) {
    if (report.fits_memory != fits) continue;
    if (found == nullptr || report.step_time_s < found->step_time_s) found = &report;
  }
  return found;
}

std::string sentence(const sim::StepReport& best, const sim::StepReport& winner) {
  const bool pays = winner.step_time_s < best.step_time_s;
  std::string text =
      pays ? fmt::format(
                 "compression pays off here: {} is {:.2f}x as fast as the fastest uncompressed "
                 "step, {}",
                 named(winner), best.step_time_s / winner.step_time_s, named(best))
           : fmt::format(
                 "compression does not pay off here: the fastest uncompressed step, {}, takes "
                 "{:.1f} % less time than the fastest compressed one, {}",
                 named(best), 100 * (1 - best.step_time_s / winner.step_time_s), named(winner));
  const double ratio = best.step_time_s / winner.step_time_s;
  if (std::abs(ratio - 1) < kErrs) text += "; the difference is smaller than the prediction error";
  return text;
}

}  // namespace

std::string verdict(const sim::StepReport& best, std::span<const sim::StepReport> compressed) {
  if (compressed.empty()) return "no verdict: --scheme names no compressed scheme";
  const sim::StepReport* fitting = fastest(compressed, true);
  if (fitting == nullptr && !best.fits_memory) {
    const auto needs = [](const sim::StepReport& a, const sim::StepReport& b) {
      return a.memory.total() < b.memory.total();
    };
    const auto& smallest = *std::ranges::min_element(compressed, needs);
    const sim::StepReport& least = std::min(best, smallest, needs);
    return fmt::format(
        "no verdict: none of the steps compared fits in memory; the smallest, {}, needs {:.1f} GB "
        "per GPU. The warnings say what would fit",
        named(least), least.memory.total() / 1e9);
  }
  if (fitting != nullptr && best.fits_memory) return sentence(best, *fitting);
  if (fitting != nullptr) {
    return fmt::format(
        "compression pays off here: {} fits in memory, but no uncompressed step does",
        named(*fitting));
  }
  return fmt::format(
      "compression does not pay off here: the fastest uncompressed step, {}, fits in memory, but "
      "no compressed one does",
      named(best));
}

}  // namespace apps
