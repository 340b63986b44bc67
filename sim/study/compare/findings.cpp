// SPDX-License-Identifier: Apache-2.0
#include "sim/study/compare/findings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "sim/base/parallel.hpp"
#include "sim/study/search/bracket.hpp"

namespace sim::study {
namespace {

// Between the values that lie beside it.
double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  if (sorted[below] == sorted[above]) return sorted[below];  // infinities as well
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

// Of two rounds that never end, 1.
double ratio_of(double a, double b) { return a == b ? 1 : a / b; }

double ratio_of(Goal goal, const Pair& pair) {
  return ratio_of(pair.a.score(goal), pair.b.score(goal));
}

int sign(double ratio) { return ratio > 1 ? 1 : ratio < 1 ? -1 : 0; }

class FlipSearch {
 public:
  FlipSearch(const Comparison& comparison, const Pair& as_is, const Watch& watch)
      : comparison_(comparison),
        as_is_(as_is),
        watch_(watch),
        decision_(sign(ratio_of(comparison.goal, as_is))) {}

  std::optional<Flip> flip_of(const Doubt& doubt) {
    if (decision_ == 0) return std::nullopt;
    std::optional<double> nearest;
    for (const Range& range : {Range{.lowest = 1, .highest = kMostDoubted},
                               Range{.lowest = 1 / kMostDoubted, .highest = 1}}) {
      const auto flipped = [&](double factor) { return flips(doubt, factor); };
      int tries = 0;
      const Found found = bracket(range, flipped, [&] {
        if (++tries == 3) watch_.expect(most_tries(range) - 2);  // more than the two ends
        watch_.step();
      });
      if (!found.bracketed()) continue;
      if (!nearest || std::abs(std::log(found.met)) < std::abs(std::log(*nearest))) {
        nearest = found.met;
      }
    }
    if (!nearest) return std::nullopt;
    return flip_at(doubt, *nearest);
  }

 private:
  // Only the sides whose assumption it is are simulated again.
  bool flips(const Doubt& doubt, double factor) const {
    if (factor == 1) return false;
    Pair pair = as_is_;
    if (doubt.is_of_model()) {
      return sign(ratio_of(comparison_.goal, pair.off_by(factor))) == -decision_;
    }
    const auto again = [&](const Side& side) {
      return simulate(scaled(side, *doubt.assumption, factor));
    };
    if (doubt.of_a) pair.a = again(comparison_.a);
    if (doubt.of_b) pair.b = again(comparison_.b);
    return sign(ratio_of(comparison_.goal, pair)) == -decision_;
  }

  Flip flip_at(const Doubt& doubt, double factor) const {
    const double spread = doubt.spread_at(std::log(factor));
    Flip flip{.factor = factor,
              .spreads = spread > 0 ? std::abs(std::log(factor)) / spread
                                    : std::numeric_limits<double>::infinity()};
    if (doubt.is_of_model()) return flip;
    const auto fields = [&](const Side& side) {
      return fields_of(scaled(side.job, *doubt.assumption, factor), *doubt.assumption);
    };
    if (doubt.of_a) flip.fields_a = fields(comparison_.a);
    if (doubt.of_b) flip.fields_b = fields(comparison_.b);
    return flip;
  }

  const Comparison& comparison_;
  const Pair as_is_;
  const Watch& watch_;
  const int decision_;
};

// The fewest spreads first; of those without a spread the smallest change.
bool flips_sooner(const DoubtFinding& one, const DoubtFinding& other) {
  const auto key = [](const DoubtFinding& finding) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    if (!finding.flip) return std::tuple(2, kNever, kNever);
    const double change = std::abs(std::log(finding.flip->factor));
    return std::tuple(finding.doubt.spread.of_logarithm > 0 ? 0 : 1, finding.flip->spreads, change);
  };
  return key(one) < key(other);
}

SideFinding side_finding(Goal goal, const Pair& as_is, const std::vector<Pair>& pairs,
                         Performance Pair::*side) {
  std::vector<double> scores;
  for (const Pair& pair : pairs) scores.push_back((pair.*side).score(goal));
  const auto without_tokens = static_cast<int>(std::ranges::count(scores, 0.0));
  return {as_is.*side, interval_of(std::move(scores)), without_tokens};
}

bool are_spreads_given(const Comparison& comparison, const std::vector<Doubt>& doubts) {
  const auto spread = [](const Doubt& doubt) { return doubt.spread.of_logarithm; };
  return !std::ranges::equal(doubts, doubts_of(comparison.a, comparison.b), {}, spread, spread);
}

// Once the rest of the findings is known.
LikelyRatio range_of(const Comparison& comparison, const std::vector<Doubt>& doubts,
                     const Findings& findings) {
  const bool always_ends = findings.a.without_tokens == 0 && findings.b.without_tokens == 0 &&
                           std::isfinite(findings.ratio) && findings.ratio > 0;
  const bool is_same_step = findings.a.as_is.time_s == findings.b.as_is.time_s;
  if (!always_ends || is_same_step || are_spreads_given(comparison, doubts)) {
    return {findings.repeated.low, findings.repeated.high};
  }
  return range_of_ratio(findings.ratio, findings.a.as_is.sensitivity, findings.b.as_is.sensitivity,
                        shared_errors(comparison.a, comparison.b));
}

}  // namespace

Interval interval_of(std::vector<double> values) {
  std::ranges::sort(values);
  return {quantile(values, 0.1), quantile(values, 0.5), quantile(values, 0.9)};
}

Probability probability_of(double successes, int of) {
  constexpr double kZ = 1.959964;  // 97.5 % of a normal distribution are below
  const double n = of;
  const double share = successes / n;
  const double middle = (share + kZ * kZ / (2 * n)) / (1 + kZ * kZ / n);
  const double half =
      kZ / (1 + kZ * kZ / n) * std::sqrt(share * (1 - share) / n + kZ * kZ / (4 * n * n));
  return {share, std::max(0.0, middle - half), std::min(1.0, middle + half)};
}

Findings compare(const Comparison& comparison, const std::vector<Doubt>& doubts,
                 const std::function<void()>& step) {
  const Goal goal = comparison.goal;
  const Pair as_is = simulate_pair(comparison, doubts, std::vector<double>(doubts.size(), 1));
  const std::vector<Pair> pairs = simulate_repetitions(comparison, doubts, step);
  Findings findings{
      .a = side_finding(goal, as_is, pairs, &Pair::a),
      .b = side_finding(goal, as_is, pairs, &Pair::b),
      .ratio = ratio_of(goal, as_is),
      .steady_ratio = ratio_of(as_is.a.steady_tokens_per_s, as_is.b.steady_tokens_per_s)};
  std::vector<double> ratios;
  double wins = 0;
  for (const Pair& pair : pairs) {
    ratios.push_back(ratio_of(goal, pair));
    wins += (1 + sign(ratios.back())) / 2.0;
    findings.ties += sign(ratios.back()) == 0 ? 1 : 0;
  }
  findings.repeated = interval_of(std::move(ratios));
  findings.a_is_better = probability_of(wins, comparison.repetitions);
  findings.range = range_of(comparison, doubts, findings);
  for (const Doubt& doubt : doubts) findings.doubts.push_back({doubt, std::nullopt});
  return findings;
}

void find_flips(const Comparison& comparison, Findings& findings, const Watch& watch) {
  // Most assumptions flip nothing: both ends of two ranges tell.
  watch.expect(4 * static_cast<int>(findings.doubts.size()));
  FlipSearch search(comparison, {findings.a.as_is, findings.b.as_is}, watch);
  for_each_in_parallel(comparison.jobs, findings.doubts.size(), [&](std::size_t i) {
    findings.doubts[i].flip = search.flip_of(findings.doubts[i].doubt);
  });
  std::ranges::stable_sort(findings.doubts, flips_sooner);
}

}  // namespace sim::study
