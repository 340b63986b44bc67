// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/layouts.hpp"

#include <algorithm>
#include <cmath>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/validation/averages.hpp"

namespace sim::validation {
namespace {

constexpr std::size_t kFewestRanked = 4;

// From 0; equal values have the mean of theirs.
std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<double> ranks;
  for (const double value : values) {
    const auto below = std::ranges::count_if(values, [&](double other) { return other < value; });
    const auto equal = std::ranges::count(values, value);
    ranks.push_back(static_cast<double>(below) + static_cast<double>(equal - 1) / 2);
  }
  return ranks;
}

// A layout that ran.
struct Ran {
  double measured = 0, simulated = 0, serial = 0;
  bool fits = true;
};

LayoutOrder order_of(const std::vector<Ran>& rows, double Ran::*predicted) {
  std::vector<double> measured, values;
  for (const Ran& row : rows) {
    measured.push_back(row.measured);
    values.push_back(row.*predicted);
  }
  const bool any_fits = std::ranges::any_of(rows, &Ran::fits);
  const Ran* picked = nullptr;
  for (const Ran& row : rows) {
    if (any_fits && !row.fits) continue;
    if (picked == nullptr || row.*predicted > picked->*predicted) picked = &row;
  }
  return {.regret = std::ranges::max(measured) / picked->measured - 1,
          .correlation = rows.size() < kFewestRanked ? 0 : rank_correlation(measured, values)};
}

LayoutOrder mean_order(const std::map<std::string, LayoutGroup>& groups,
                       LayoutOrder LayoutGroup::*way) {
  std::vector<double> regrets, correlations;
  for (const auto& [name, group] : groups) {
    regrets.push_back((group.*way).regret);
    if (group.rows >= static_cast<int>(kFewestRanked)) {
      correlations.push_back((group.*way).correlation);
    }
  }
  return {.regret = regrets.empty() ? 0 : mean(regrets),
          .correlation = correlations.empty() ? 0 : mean(correlations)};
}

}  // namespace

double rank_correlation(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean_x = mean(x), mean_y = mean(y);
  double both = 0, of_x = 0, of_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (x[i] - mean_x) * (y[i] - mean_y);
    of_x += (x[i] - mean_x) * (x[i] - mean_x);
    of_y += (y[i] - mean_y) * (y[i] - mean_y);
  }
  return of_x > 0 && of_y > 0 ? both / std::sqrt(of_x * of_y) : 0;
}

std::vector<LayoutRow> read_layouts(const std::filesystem::path& folder) {
  std::vector<LayoutRow> rows;
  for (const CsvRow& line : read_csv(folder / "traces/published/layouts.csv")) {
    const std::string status = line.text("status");
    if (status != "ok" && status != "oom") line.fail("status: is neither ok nor oom");
    const bool ran = status == "ok";
    rows.push_back({.id = line.text("id"),
                    .group = line.text("group"),
                    .flags = line.text("flags"),
                    .gpus = line.integer("gpus"),
                    .ran = ran,
                    .tokens_per_s_per_gpu = ran ? line.number("tokens_per_s_per_gpu") : 0});
  }
  return rows;
}

LayoutScores score_layouts(std::span<const LayoutRow> rows,
                           std::span<const LayoutPrediction> predictions, double headroom) {
  require(rows.size() == predictions.size(), "a prediction for each layout");
  LayoutScores scores;
  std::map<std::string, std::vector<Ran>> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const LayoutPrediction& one = predictions[i];
    const bool fits = one.memory_share <= 1 - headroom;
    (rows[i].ran ? scores.ran : scores.out_of_memory) += 1;
    if (!fits) (rows[i].ran ? scores.ran_refused : scores.out_refused) += 1;
    if (rows[i].ran) {
      groups[rows[i].group].push_back(
          {rows[i].tokens_per_s_per_gpu, one.tokens_per_s_per_gpu, one.serial, fits});
    }
  }
  for (const auto& [name, ran] : groups) {
    if (ran.size() < 2) continue;
    scores.groups[name] = {.rows = static_cast<int>(ran.size()),
                           .simulated = order_of(ran, &Ran::simulated),
                           .serial = order_of(ran, &Ran::serial)};
  }
  scores.simulated = mean_order(scores.groups, &LayoutGroup::simulated);
  scores.serial = mean_order(scores.groups, &LayoutGroup::serial);
  return scores;
}

}  // namespace sim::validation
