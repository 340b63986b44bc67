// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/csv.hpp"

namespace sim::validation {
namespace {

MeasuredPair measured_pair(const CsvRow& line) {
  MeasuredPair pair{.id = line.text("id"),
                    .fold = line.text("fold"),
                    .command = line.text("command"),
                    .flags = line.text("flags"),
                    .without_flags = line.text("without_flags"),
                    .with_flags = line.text("with_flags"),
                    .ratio = line.number("with") / line.number("without"),
                    .noise = line.number("noise"),
                    .counts = line.text("counts") == "1",
                    .source = line.text("source"),
                    .note = line.text("note")};
  // A throughput.
  if (line.text("unit") == "TFLOPs") pair.ratio = 1 / pair.ratio;
  if (!pair.command.empty() && pair.command != "run" && pair.command != "collective") {
    line.fail("command: is neither run nor collective");
  }
  if (pair.counts && pair.command.empty()) line.fail("counts: is 1 without a command");
  return pair;
}

void add_to(PairScores& scores, const MeasuredPair& pair, double ratio) {
  ++scores.pairs;
  const double error = std::abs(ratio / pair.ratio - 1);
  scores.mean += (error - scores.mean) / scores.pairs;
  scores.worst = std::max(scores.worst, error);
  if (!pair.has_sign()) return;
  ++scores.signs;
  scores.right += (ratio < 1) == (pair.ratio < 1) ? 1 : 0;
}

}  // namespace

bool MeasuredPair::has_sign() const { return std::abs(ratio - 1) > noise; }

std::vector<MeasuredPair> read_pairs(const std::filesystem::path& folder) {
  std::vector<MeasuredPair> pairs;
  for (const CsvRow& line : read_csv(folder / "traces" / "published" / "pairs.csv")) {
    pairs.push_back(measured_pair(line));
  }
  return pairs;
}

PairStudyScores pair_scores(const std::vector<MeasuredPair>& pairs,
                            const std::vector<std::optional<double>>& ratios) {
  PairStudyScores scores;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (pairs[i].counts && ratios[i]) add_to(scores.by_fold[pairs[i].fold], pairs[i], *ratios[i]);
  }
  if (scores.by_fold.empty()) return scores;
  PairScores all{.folds = static_cast<int>(scores.by_fold.size())};
  for (const auto& [name, fold] : scores.by_fold) {
    all.pairs += fold.pairs;
    all.signs += fold.signs;
    all.right += fold.right;
    all.mean += fold.mean / all.folds;
    all.worst = std::max(all.worst, fold.worst);
  }
  scores.all = all;
  return scores;
}

}  // namespace sim::validation
