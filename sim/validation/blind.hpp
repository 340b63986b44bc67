// SPDX-License-Identifier: Apache-2.0
// Blind predictions of published training runs: the compute efficiency of each comes from the rows of
// other sources alone, and so does the range.
//
// The step of each row is simulated at three efficiencies. What the other rows need to take the
// measured time is interpolated, and the median of their sources is the row's efficiency: over
// published times of kernels, what remains differs as much between two sources of one stack, or one
// GPU generation, as between any, so that learning effects of these predicts other sources worse.
// A median, since a few sources are far slower than the others, for reasons that are not known.
// The range comes from leaving out those sources one after the other in the same way. What takes a
// step's time is computing, which follows the efficiency, and the rest: exchanges, copies, the host.
// Each has a spread, how far the sources that it decides are off, and a row has those of its shares.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/validation/interval_score.hpp"
#include "sim/validation/training.hpp"

namespace sim::validation {

// At which a row is simulated, falling.
inline constexpr std::array kCurveEfficiencies{1.0, 0.5, 0.2};

// Seconds per token and GPU at these efficiencies. Between two of them, and beyond the ends, the time
// is a straight line over 1 / efficiency, as compute that nothing overlaps is.
struct TimeCurve {
  std::array<double, kCurveEfficiencies.size()> seconds = {};

  [[nodiscard]] double at(double efficiency) const;
  // At which the step takes this time: between 0.02 and 2, the end if none does.
  [[nodiscard]] double efficiency_at(double token_s) const;
  // How much the time follows the efficiency: 1 if they are proportional, 0 if not at all.
  [[nodiscard]] double share_at(double efficiency) const;
};

// Of a row with less, other parts of the step decide the efficiency that it seems to need: nothing is
// learnt from it.
inline constexpr double kLeastShare = 2.0 / 3;
// What is left out with a row: its source, or also all rows of its GPU generation.
enum class LeftOut { fold, generation };

// Standard deviations of the logarithm of the time that each takes, of a source that was not seen.
struct BlindSpreads {
  double computing = 0;  // from rows of which it has kLeastShare
  double rest = 0;       // from the others; without any, as of computing
};
// The range of a row whose time follows the efficiency with this share is the prediction over and times
// exp(width): it is to contain 80 %.
[[nodiscard]] double width_of(const BlindSpreads& spreads, double share);

struct BlindConstant {
  double efficiency = 1;
  BlindSpreads spreads;
  int folds = 0;  // that it was learnt from
};

// For every row, from those that are not left out with it, whose `curves` these are. Rows of a group
// that is left out together do not affect each other's constants.
[[nodiscard]] std::vector<BlindConstant> blind_constants(const std::vector<TrainingRow>& rows,
                                                         std::span<const TimeCurve> curves,
                                                         LeftOut left_out);

// What the runs of one source, of one kind, need.
struct NeededEfficiency {
  std::string fold, gpu, stack;
  bool is_narrow = false;  // products of 8 bits or fewer
  int rows = 0;
  double efficiency = 1;  // geometric mean
};
// What all rows together say of runs that were not published.
struct LearntEfficiency {
  std::vector<NeededEfficiency> needed;
  double efficiency = 1;  // median of the folds
  double spread = 0;      // BlindSpreads::computing, each fold left out in turn
  int folds = 0;          // that it was learnt from
};
// Of one fold at least.
[[nodiscard]] LearntEfficiency learnt_efficiency(const std::vector<TrainingRow>& rows,
                                                 std::span<const TimeCurve> curves);

// In tokens per second and GPU.
struct BlindPrediction {
  double predicted = 0, low = 0, high = 0;
  double serial = 0;  // sim/validation/serial.hpp at the same efficiency
};

// Chances with which limits of time or price are said to be kept.
inline constexpr std::array kChances{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

struct BlindErrors {
  int folds = 1, rows = 0;
  double mean = 0;  // of all: over folds, of their means
  double bias = 0, worst = 0;
  double near = 0;      // share of rows that are off by less than 30 %
  double coverage = 0;  // share of measured values in their range; of all: over folds, of theirs
  double narrow = 0;    // share of ranges narrower than +-15 %
  double serial = 0;    // mean, as `mean`
  // Share of rows whose time keeps the limit that is said to be kept with each of kChances
  // (chance_within()); of all: over folds, of theirs.
  std::array<double, kChances.size()> kept = {};
};

struct BlindScores {
  std::map<std::string, BlindErrors> by_fold;
  std::map<std::string, bool> apart;  // folds of which all rows are
  std::optional<BlindErrors> all, not_apart;
  std::optional<IntervalScores> intervals;
};
// Of the scored rows that have a prediction: the rules of traces/published/README.md.
[[nodiscard]] BlindScores blind_scores(
    const std::vector<TrainingRow>& rows,
    const std::vector<std::optional<BlindPrediction>>& predictions);

}  // namespace sim::validation
