// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_pairs.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "apps/collective/compress.hpp"
#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/blind_runs.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/pairs.hpp"

namespace apps {
namespace {

using sim::validation::MeasuredPair;
using sim::validation::PairScores;
using sim::validation::PairStudyScores;

struct PairStudy {
  std::vector<MeasuredPair> pairs;
  std::vector<std::optional<double>> ratios;  // predicted, by pair
  PairStudyScores scores;
};

// With the constants of the cluster's file, as `run` has them.
std::optional<double> predicted_ratio(const MeasuredPair& pair) {
  if (pair.command.empty()) return std::nullopt;
  const auto arguments = [&](const std::string& more) {
    return arguments_of(pair.flags + " " + more);
  };
  if (pair.command == "collective") {
    return 1 / coded_times_of(arguments(pair.with_flags)).speedup();
  }
  const auto seconds = [&](const std::string& more) {
    return token_seconds(training_run(pair.id, arguments(more)));
  };
  return seconds(pair.with_flags) / seconds(pair.without_flags);
}

PairStudy predicted_pairs(int jobs) {
  PairStudy study{.pairs = sim::validation::read_pairs(data_directory())};
  Progress progress("simulating pairs", static_cast<int>(study.pairs.size()));
  study.ratios = sim::in_parallel(jobs, study.pairs.size(), [&](std::size_t i) {
    progress.step();
    return predicted_ratio(study.pairs[i]);
  });
  study.scores = sim::validation::pair_scores(study.pairs, study.ratios);
  return study;
}

std::string verdict_of(const MeasuredPair& pair, double ratio) {
  if (!pair.has_sign()) return "within noise";
  return (ratio < 1) == (pair.ratio < 1) ? "right" : "WRONG";
}

sim::TextTable pairs_of(const PairStudy& study) {
  sim::TextTable table;
  table.rows.push_back(
      sim::heading_row({"time with over without", "published", "predicted", "off by", "sign"}));
  for (std::size_t i = 0; i < study.pairs.size(); ++i) {
    const MeasuredPair& pair = study.pairs[i];
    std::vector<sim::TableCell> cells{"  " + pair.id, fmt::format("{:.3f}", pair.ratio)};
    if (const auto& ratio = study.ratios[i]) {
      const std::string verdict = verdict_of(pair, *ratio);
      cells.emplace_back(fmt::format("{:.3f}", *ratio));
      cells.emplace_back(fmt::format("{:+.0f} %", 100 * (*ratio / pair.ratio - 1)));
      cells.emplace_back(verdict, verdict == "WRONG" ? sim::Style::bad : sim::Style::plain);
    } else {
      cells.insert(cells.end(), {"-", "-", "not modelled"});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

std::vector<sim::TableCell> cells_of(const std::string& name, const PairScores& scores) {
  return {name, fmt::format("{}", scores.pairs), fmt::format("{:.1f} %", 100 * scores.mean),
          fmt::format("{:.1f} %", 100 * scores.worst),
          fmt::format("{} of {}", scores.right, scores.signs)};
}

sim::TextTable scores_of(const PairStudy& study) {
  sim::TextTable table;
  table.rows.push_back(
      sim::heading_row({"errors of the ratio", "pairs", "mean", "worst", "sign right"}));
  for (const auto& [fold, scores] : study.scores.by_fold) {
    table.rows.push_back(cells_of("  " + fold, scores));
  }
  if (study.scores.all) table.rows.push_back(cells_of("all, mean over folds", *study.scores.all));
  return table;
}

nlohmann::ordered_json scores_object(const PairScores& scores) {
  return {{"pairs", scores.pairs},
          {"mean", scores.mean},
          {"worst", scores.worst},
          {"signs", scores.signs},
          {"right", scores.right}};
}

std::vector<nlohmann::ordered_json> records_of(const PairStudy& study) {
  std::vector<nlohmann::ordered_json> records;
  for (std::size_t i = 0; i < study.pairs.size(); ++i) {
    const MeasuredPair& pair = study.pairs[i];
    const auto& ratio = study.ratios[i];
    records.push_back({{"id", pair.id},
                       {"fold", pair.fold},
                       {"counts", pair.counts},
                       {"published_ratio", pair.ratio},
                       {"predicted_ratio", ratio ? nlohmann::ordered_json(*ratio) : nullptr},
                       {"has_sign", pair.has_sign()},
                       {"source", pair.source}});
  }
  return records;
}

nlohmann::ordered_json json_of(const PairStudy& study) {
  nlohmann::ordered_json json{{"schema_version", 1}, {"study", "pairs"}};
  if (study.scores.all) json["errors"]["all"] = scores_object(*study.scores.all);
  for (const auto& [fold, scores] : study.scores.by_fold) {
    json["errors"]["by_fold"][fold] = scores_object(scores);
  }
  json["rows"] = records_of(study);
  return json;
}

}  // namespace

void validate_pairs(const std::string& format, int jobs) {
  const PairStudy study = predicted_pairs(jobs);
  if (format == "table") {
    print_text("measured with and without low-precision communication\n\n");
    print_styled(to_text(pairs_of(study), output_width()));
    print_text("\n");
    print_styled(to_text(scores_of(study), output_width()));
    return;
  }
  print_records(format, json_of(study), records_of(study));
}

}  // namespace apps
