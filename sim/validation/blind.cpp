// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/blind.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/likely.hpp"
#include "sim/validation/averages.hpp"

namespace sim::validation {
namespace {

constexpr double kLeastNeeded = 0.02, kMostNeeded = 2;

double slowness(std::size_t i) { return 1 / kCurveEfficiencies.at(i); }

double slope(const TimeCurve& curve, std::size_t i) {
  return (curve.seconds.at(i + 1) - curve.seconds.at(i)) / (slowness(i + 1) - slowness(i));
}

// A row that others learn from.
struct Learnt {
  const TrainingRow* row;
  const TimeCurve* curve;
  double needed = 1;
};

bool are_left_out_together(const TrainingRow& a, const TrainingRow& b, LeftOut left_out) {
  return a.fold == b.fold || (left_out == LeftOut::generation && a.gpu == b.gpu);
}

std::vector<Learnt> without(const std::vector<Learnt>& all, const TrainingRow& row,
                            LeftOut left_out) {
  std::vector<Learnt> others;
  std::ranges::copy_if(all, std::back_inserter(others), [&](const Learnt& one) {
    return !are_left_out_together(*one.row, row, left_out);
  });
  return others;
}

// Whether the compute efficiency decides what the row measured.
bool tells(const Learnt& one) { return one.curve->share_at(one.needed) >= kLeastShare; }

// By fold, the logarithms of what its rows need.
std::map<std::string, std::vector<double>> logarithms_by_fold(const std::vector<Learnt>& learnt) {
  std::map<std::string, std::vector<double>> folds;
  for (const Learnt& one : learnt) {
    if (tells(one)) folds[one.row->fold].push_back(std::log(one.needed));
  }
  return folds;
}

// The median of all folds, which makes the mean of their errors least, and which one that is far off
// hardly moves; nothing where none of the rows tells of it.
std::optional<double> efficiency_from(const std::vector<Learnt>& learnt) {
  std::vector<double> folds;
  for (const auto& [fold, logarithms] : logarithms_by_fold(learnt)) {
    folds.push_back(mean(logarithms));
  }
  if (folds.empty()) return std::nullopt;
  return std::exp(median(std::move(folds)));
}

// A mean of absolute logarithms, in which each row has the weight that it has in its fold. Of a normal
// law, it is sqrt(2 / pi) of the standard deviation; unlike that one, it is not carried away by a fold
// that is far off.
class MeanError {
 public:
  void add(double error, double weight) {
    sum_ += std::abs(error) * weight;
    weight_ += weight;
  }
  [[nodiscard]] std::optional<double> deviation() const {
    if (weight_ == 0) return std::nullopt;
    return std::sqrt(std::numbers::pi / 2) * sum_ / weight_;
  }

 private:
  double sum_ = 0, weight_ = 0;
};

// Each row is predicted from the others. What it is off by is blamed on what takes most of its time.
BlindSpreads spreads_of(const std::vector<Learnt>& learnt, LeftOut left_out) {
  std::map<std::string, double> rows_in_fold;
  for (const Learnt& one : learnt) ++rows_in_fold[one.row->fold];
  std::map<std::pair<std::string, std::string>, std::optional<double>> known;
  MeanError computing, rest;
  for (const Learnt& one : learnt) {
    const auto [found, is_new] = known.try_emplace({one.row->fold, one.row->gpu});
    if (is_new) found->second = efficiency_from(without(learnt, *one.row, left_out));
    if (!found->second) continue;
    const double off = std::log(one.curve->at(*found->second) * *one.row->tokens_per_s_per_gpu);
    const double share = one.curve->share_at(*found->second);
    const double weight = 1 / rows_in_fold.at(one.row->fold);
    if (share >= kLeastShare) {
      computing.add(off / share, weight);
    } else {
      rest.add(off / (1 - share), weight);
    }
  }
  const double of_computing = computing.deviation().value_or(0);
  return {.computing = of_computing, .rest = rest.deviation().value_or(of_computing)};
}

BlindConstant constant_from(const std::vector<Learnt>& learnt, LeftOut left_out) {
  const auto efficiency = efficiency_from(learnt);
  if (!efficiency) return {};
  std::set<std::string> folds;
  for (const Learnt& one : learnt) folds.insert(one.row->fold);
  return {.efficiency = *efficiency,
          .spreads = spreads_of(learnt, left_out),
          .folds = static_cast<int>(folds.size())};
}

std::vector<Learnt> learnt_from(const std::vector<TrainingRow>& rows,
                                std::span<const TimeCurve> curves) {
  require(rows.size() == curves.size(), "a curve for each row");
  std::vector<Learnt> all;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].is_scored()) continue;
    const double needed = curves[i].efficiency_at(1 / *rows[i].tokens_per_s_per_gpu);
    all.push_back({&rows[i], &curves[i], needed});
  }
  return all;
}

std::vector<NeededEfficiency> needed_by_kind(const std::vector<Learnt>& all) {
  using Kind = std::tuple<std::string, std::string, std::string, bool>;
  std::map<Kind, std::vector<double>> logarithms;
  for (const Learnt& one : all) {
    if (!tells(one)) continue;
    const TrainingRow& row = *one.row;
    logarithms[{row.fold, row.gpu, row.stack, row.precision != "bf16"}].push_back(
        std::log(one.needed));
  }
  std::vector<NeededEfficiency> needed;
  for (const auto& [kind, of_rows] : logarithms) {
    const auto& [fold, gpu, stack, is_narrow] = kind;
    needed.push_back(
        {fold, gpu, stack, is_narrow, static_cast<int>(of_rows.size()), std::exp(mean(of_rows))});
  }
  return needed;
}

struct ScoredRow {
  double off = 0;  // predicted over measured, less 1
  bool is_inside = false, is_narrow = false;
  double serial_off = 0;
  double chance = 0;  // with which its measured time would have been said to be kept
};

BlindErrors errors_of_fold(const std::vector<ScoredRow>& rows) {
  BlindErrors errors{.rows = static_cast<int>(rows.size())};
  const auto mean_of = [&](const std::function<double(const ScoredRow&)>& value) {
    double sum = 0;
    for (const ScoredRow& row : rows) sum += value(row);
    return sum / static_cast<double>(rows.size());
  };
  errors.mean = mean_of([](const ScoredRow& row) { return std::abs(row.off); });
  errors.bias = mean_of([](const ScoredRow& row) { return row.off; });
  errors.near = mean_of([](const ScoredRow& row) { return std::abs(row.off) < 0.3 ? 1 : 0; });
  errors.coverage = mean_of([](const ScoredRow& row) { return row.is_inside ? 1 : 0; });
  errors.narrow = mean_of([](const ScoredRow& row) { return row.is_narrow ? 1 : 0; });
  errors.serial = mean_of([](const ScoredRow& row) { return std::abs(row.serial_off); });
  for (std::size_t i = 0; i < kChances.size(); ++i) {
    errors.kept.at(i) =
        mean_of([&](const ScoredRow& row) { return row.chance <= kChances.at(i) ? 1 : 0; });
  }
  for (const ScoredRow& row : rows) errors.worst = std::max(errors.worst, std::abs(row.off));
  return errors;
}

// Means over folds, but for shares of rows.
std::optional<BlindErrors> errors_of_all(const std::vector<BlindErrors>& folds) {
  if (folds.empty()) return std::nullopt;
  BlindErrors all{.folds = static_cast<int>(folds.size())};
  for (const BlindErrors& fold : folds) all.rows += fold.rows;
  for (const BlindErrors& fold : folds) {
    const double of_folds = 1.0 / all.folds, of_rows = double{1} * fold.rows / all.rows;
    all.mean += of_folds * fold.mean;
    all.bias += of_folds * fold.bias;
    all.coverage += of_folds * fold.coverage;
    all.serial += of_folds * fold.serial;
    for (std::size_t i = 0; i < kChances.size(); ++i) all.kept.at(i) += of_folds * fold.kept.at(i);
    all.near += of_rows * fold.near;
    all.narrow += of_rows * fold.narrow;
    all.worst = std::max(all.worst, fold.worst);
  }
  return all;
}

}  // namespace

double TimeCurve::at(double efficiency) const {
  const double x = 1 / efficiency;
  std::size_t i = 0;
  while (i + 2 < seconds.size() && x > slowness(i + 1)) ++i;
  return seconds.at(i) + slope(*this, i) * (x - slowness(i));
}

double TimeCurve::efficiency_at(double token_s) const {
  std::size_t i = 0;
  while (i + 2 < seconds.size() && token_s > seconds.at(i + 1)) ++i;
  const double rise = slope(*this, i);
  if (rise <= 0) return token_s > seconds.at(i) ? kLeastNeeded : kMostNeeded;
  const double x = slowness(i) + (token_s - seconds.at(i)) / rise;
  return 1 / std::clamp(x, 1 / kMostNeeded, 1 / kLeastNeeded);
}

double TimeCurve::share_at(double efficiency) const {
  constexpr double kStep = 1.05;
  return std::log(at(efficiency / kStep) / at(efficiency * kStep)) / (2 * std::log(kStep));
}

double width_of(const BlindSpreads& spreads, double share) {
  return kLikelySpreads * std::hypot(share * spreads.computing, (1 - share) * spreads.rest);
}

std::vector<BlindConstant> blind_constants(const std::vector<TrainingRow>& rows,
                                           std::span<const TimeCurve> curves, LeftOut left_out) {
  const std::vector<Learnt> all = learnt_from(rows, curves);
  // Rows of one fold and GPU leave out the same.
  std::map<std::pair<std::string, std::string>, BlindConstant> known;
  std::vector<BlindConstant> constants;
  for (const TrainingRow& row : rows) {
    const auto [found, is_new] = known.try_emplace({row.fold, row.gpu});
    if (is_new) found->second = constant_from(without(all, row, left_out), left_out);
    constants.push_back(found->second);
  }
  return constants;
}

LearntEfficiency learnt_efficiency(const std::vector<TrainingRow>& rows,
                                   std::span<const TimeCurve> curves) {
  const std::vector<Learnt> all = learnt_from(rows, curves);
  const auto efficiency = efficiency_from(all);
  require(efficiency.has_value(), "a row to learn from");
  return {.needed = needed_by_kind(all),
          .efficiency = *efficiency,
          .spread = spreads_of(all, LeftOut::fold).computing,
          .folds = static_cast<int>(logarithms_by_fold(all).size())};
}

BlindScores blind_scores(const std::vector<TrainingRow>& rows,
                         const std::vector<std::optional<BlindPrediction>>& predictions) {
  BlindScores scores;
  std::map<std::string, std::vector<ScoredRow>> folds;
  std::vector<RangedPrediction> ranges;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const TrainingRow& row = rows[i];
    if (!row.is_scored()) continue;
    const auto apart = scores.apart.try_emplace(row.fold, true).first;
    apart->second = apart->second && is_apart(row, rows);
    if (!predictions[i]) continue;
    const BlindPrediction& one = *predictions[i];
    const double measured = *row.tokens_per_s_per_gpu;
    const RangedPrediction& range = ranges.emplace_back(RangedPrediction{.fold = row.fold,
                                                                         .low = one.low,
                                                                         .predicted = one.predicted,
                                                                         .high = one.high,
                                                                         .measured = measured});
    folds[row.fold].push_back(
        {.off = one.predicted / measured - 1,
         .is_inside = range.is_inside(),
         .is_narrow = one.high - one.low < 2 * 0.15 * one.predicted,
         .serial_off = one.serial / measured - 1,
         .chance = chance_within(1 / measured, {1 / one.high, 1 / one.predicted, 1 / one.low})});
  }
  std::vector<BlindErrors> all, not_apart;
  for (const auto& [fold, scored] : folds) {
    all.push_back(scores.by_fold[fold] = errors_of_fold(scored));
    if (!scores.apart.at(fold)) not_apart.push_back(all.back());
  }
  scores.all = errors_of_all(all);
  scores.not_apart = errors_of_all(not_apart);
  if (!ranges.empty()) scores.intervals = interval_scores(ranges);
  return scores;
}

}  // namespace sim::validation
