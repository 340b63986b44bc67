// SPDX-License-Identifier: Apache-2.0
#include "apps/run/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/study/search/verdict.hpp"

namespace apps {
namespace {

// ", likely 1.04x to 1.31x".
std::string likely_text(const sim::Report& winner) {
  if (!winner.speedup_range) return "";
  return fmt::format(", likely {:.2f}x to {:.2f}x", winner.speedup_range->low,
                     winner.speedup_range->high);
}

std::string named(const sim::Report& report) {
  if (!report.flags || report.flags->empty()) return report.scheme;
  return fmt::format("{} ({})", report.scheme, *report.flags);
}

const sim::Report* fastest(std::span<const sim::Report> reports, bool fits) {
  const sim::Report* found = nullptr;
  for (const sim::Report& report : reports) {
    if (report.fits_memory != fits) continue;
    if (found == nullptr || report.time_s < found->time_s) found = &report;
  }
  return found;
}

std::string sentence(const sim::Report& best, const sim::Report& compressed) {
  const double speedup = best.time_s / compressed.time_s;
  const auto found =
      sim::study::verdict_of({.speedup = speedup, .range = compressed.speedup_range});
  if (found == sim::Verdict::loss) {
    return fmt::format(
        "compression does not pay off here: the fastest uncompressed step, {}, takes {:.1f} % less "
        "time than the fastest compressed one, {}{}",
        named(best), 100 * (1 - speedup), named(compressed),
        compressed.speedup_range ? ", which is" + likely_text(compressed).substr(1) + " as fast"
                                 : "");
  }
  return fmt::format(
             "compression {} here: {} is {:.2f}x as fast as the fastest uncompressed step, {}{}",
             found == sim::Verdict::win ? "pays off" : "does not clearly pay off",
             named(compressed), speedup, named(best), likely_text(compressed)) +
         (found == sim::Verdict::win ? ""
                                     : "; the difference is smaller than the prediction error");
}

}  // namespace

std::string verdict(const sim::Report& best, std::span<const sim::Report> compressed) {
  if (compressed.empty()) return "no verdict: --scheme names no compressed scheme";
  const sim::Report* fitting = fastest(compressed, true);
  if (fitting == nullptr && !best.fits_memory) {
    const auto needs = [](const sim::Report& a, const sim::Report& b) {
      return a.memory.total() < b.memory.total();
    };
    const auto& smallest = *std::ranges::min_element(compressed, needs);
    const sim::Report& least = std::min(best, smallest, needs);
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
