// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/compare_answer.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/study/search/verdict.hpp"

namespace apps {
namespace {

using sim::study::Findings;
using sim::study::Goal;
using sim::study::SideFinding;

// "; A completes no round in 14 of 20 repetitions"
std::string none_text(const Comparison& comparison, const Side& side, const SideFinding& finding) {
  const bool as_is = finding.as_is.score(comparison.options.aim()) == 0;
  const int repetitions = comparison.options.repetitions, without = finding.without_tokens;
  if (!as_is && without == 0) return "";
  std::string text = fmt::format("; {} completes no {}", side.name, what_is_timed(side));
  if (as_is) text += " as it is";
  if (as_is && without > 0) text += ", and none";
  if (without == repetitions) return text + fmt::format(" in any of {} repetitions", repetitions);
  if (without > 0) text += fmt::format(" in {} of {} repetitions", without, repetitions);
  return text;
}

// "1.03 times its throughput, likely 0.967 to 1.1 (better in 84 % of 100 repetitions)"; where the other
// side completes no round, "better in 84 % of 100 repetitions".
std::string times_text(double ratio, const sim::LikelyRatio& range, const std::string& its,
                       const std::string& better) {
  if (!std::isfinite(ratio)) return better;
  // As many digits as tell it from 1.
  const int digits = std::abs(ratio - 1) < 0.005 ? 5 : 3;
  const std::string likely =
      std::isfinite(range.high)
          ? fmt::format("{:.{}g} to {:.{}g}", range.low, digits, range.high, digits)
          : fmt::format("at least {:.{}g}", range.low, digits);
  return fmt::format("{:.{}g} times {}, likely {} ({})", ratio, digits, its, likely, better);
}

std::string better_text(double share, int repetitions) {
  return share < 1 ? fmt::format("better in {:.0f} % of {} repetitions", 100 * share, repetitions)
                   : fmt::format("better in all of {} repetitions", repetitions);
}

// "A beats B: 1.13 times its throughput, likely 1.03 to 1.24 (better in 96 % of 100 repetitions)".
std::string ratio_answer(const Comparison& comparison, const Findings& findings) {
  const char* what = comparison.options.aim() == Goal::cost ? "tokens per USD" : "throughput";
  if (findings.ratio == 1 && findings.a_is_better.value == 0.5) {
    return fmt::format("A and B have the same {}", what);
  }
  const bool a = findings.ratio >= 1;
  const char* better = a ? "A" : "B";
  const char* other = a ? "B" : "A";
  const double ratio = a ? findings.ratio : 1 / findings.ratio;
  const sim::LikelyRatio range =
      a ? findings.range : sim::LikelyRatio{1 / findings.range.high, 1 / findings.range.low};
  const double share = a ? findings.a_is_better.value : 1 - findings.a_is_better.value;
  const std::string how_often = better_text(share, comparison.options.repetitions);
  if (sim::study::verdict_of({.speedup = ratio, .range = range}) == sim::Verdict::win) {
    return fmt::format("{} beats {}: {}", better, other,
                       times_text(ratio, range, fmt::format("its {}", what), how_often));
  }
  return fmt::format("too close to call: {} {} {}", better, std::isfinite(ratio) ? "has" : "is",
                     times_text(ratio, range, fmt::format("the {} of {}", what, other), how_often));
}

}  // namespace

const char* what_is_timed(const Side& side) { return side.run.job.inner ? "round" : "step"; }

std::string answer_text(const Comparison& comparison, const Findings& findings) {
  const bool a = comparison.a.fits_memory, b = comparison.b.fits_memory;
  if (a != b) return fmt::format("{} fits in memory, {} does not", a ? "A" : "B", a ? "B" : "A");
  const std::string answer = ratio_answer(comparison, findings) +
                             none_text(comparison, comparison.a, findings.a) +
                             none_text(comparison, comparison.b, findings.b);
  return a ? answer : "neither fits in memory; if both did: " + answer;
}

}  // namespace apps
