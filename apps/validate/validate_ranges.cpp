// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/blind_runs.hpp"
#include "apps/validate/validation_text.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/text_table.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/simulation.hpp"
#include "sim/validation/fit.hpp"
#include "sim/validation/interval_score.hpp"
#include "sim/validation/pairs.hpp"
#include "sim/validation/study.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::IntervalScores;
using validation::MeasuredPair;
using validation::RangedPrediction;

// A measured exchange without compression, and the cluster that it was measured on.
constexpr const char* kCollective = "sdp4bit_gradient_comm/a100/gpt_1.3b/sharded";

struct RangedPair {
  MeasuredPair pair;
  RangedPrediction unfitted;
  std::optional<RangedPrediction> with_collective;
};

struct RangeStudy {
  std::vector<RangedPair> pairs;
  double communicator_GBps = 0;  // of the collective
};

// The bandwidth of one communicator with which the exchange takes as long as measured: all ranks of the nodes
// were in one.
sim::Fitted fitted_to_collective(const std::filesystem::path& folder,
                                 const validation::Measurement& measured) {
  validation::Inputs inputs = validation::without_fits(validation::read_inputs(folder, {measured}));
  sim::Cluster& cluster = inputs.clusters.at(measured.setup.cluster);
  cluster.fitted = {.communicator_bandwidth = cluster.network.nic_bandwidth,
                    .rows = {measured.row}};
  return validation::fit(inputs, measured.setup.cluster, {measured});
}

validation::Measurement measured_collective(const std::filesystem::path& folder) {
  const auto all = validation::read_sdp4bit(folder);
  return *std::ranges::find_if(all, [](const validation::Measurement& one) {
    return one.row == kCollective && one.metric == validation::Metric::gradient_exchange_ms;
  });
}

// Of a pair's two steps, on a cluster with these fitted constants.
RangedPrediction predicted_range(const MeasuredPair& pair, const sim::Fitted& fitted) {
  const auto report_of = [&](const std::string& more) {
    BlindRun run = training_run(pair.id, arguments_of(pair.flags + " " + more));
    run.job.cluster().fitted = fitted;
    sim::Report report = sim::study::simulate(run.job, run.setup).report;
    report.sensitivity = sim::study::sensitivity_of(run.job, run.setup, report);
    return report;
  };
  const sim::Report with = report_of(pair.with_flags), without = report_of(pair.without_flags);
  const double speedup = with.tokens_per_s / without.tokens_per_s;
  const auto range = sim::study::range_of_ratio(speedup, *with.sensitivity, *without.sensitivity);
  return {.fold = pair.fold,
          .low = range.low,
          .predicted = speedup,
          .high = range.high,
          .measured = 1 / pair.ratio};
}

RangeStudy predicted_study(int jobs) {
  const std::filesystem::path folder = data_directory();
  RangeStudy study;
  for (MeasuredPair& pair : validation::read_pairs(folder)) {
    if (pair.command == "run" && pair.counts) study.pairs.push_back({.pair = std::move(pair)});
  }
  const validation::Measurement collective = measured_collective(folder);
  const sim::Fitted fitted = fitted_to_collective(folder, collective);
  study.communicator_GBps = fitted.communicator_bandwidth->base() / 1e9;
  Progress progress("simulating pairs", static_cast<int>(study.pairs.size()));
  sim::for_each_in_parallel(jobs, study.pairs.size(), [&](std::size_t i) {
    RangedPair& one = study.pairs[i];
    one.unfitted = predicted_range(one.pair, {});
    if (one.pair.flags.find("--topology " + collective.setup.cluster) != std::string::npos) {
      one.with_collective = predicted_range(one.pair, fitted);
    }
    progress.step();
  });
  return study;
}

// The speed-ups that are predicted in one of the two ways.
struct Scored {
  const char *name, *key;
  validation::Errors errors;
  IntervalScores intervals;
};

Scored scored(const char* name, const char* key, const std::vector<RangedPrediction>& all) {
  Scored one{.name = name, .key = key, .intervals = validation::interval_scores(all)};
  for (const RangedPrediction& range : all) one.errors.add(range.predicted, range.measured, "");
  return one;
}

std::vector<Scored> scores_of(const RangeStudy& study) {
  std::vector<RangedPrediction> unfitted, with_collective;
  for (const RangedPair& one : study.pairs) {
    unfitted.push_back(one.unfitted);
    if (one.with_collective) with_collective.push_back(*one.with_collective);
  }
  return {scored("nothing fitted", "nothing_fitted", unfitted),
          scored("one collective", "one_collective", with_collective)};
}

std::vector<sim::TableCell> range_cells(const RangedPrediction& one) {
  return {fmt::format("{:.2f}x", one.predicted),
          fmt::format("{:.2f}-{:.2f}{}", one.low, one.high, one.is_inside() ? "" : " !")};
}

sim::TextTable pairs_of(const RangeStudy& study) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row(
      {"speed-up", "published", "nothing fitted", "likely", "one collective", "likely"}));
  for (const RangedPair& one : study.pairs) {
    std::vector<sim::TableCell> cells{"  " + one.pair.id,
                                      fmt::format("{:.2f}x", one.unfitted.measured)};
    std::ranges::copy(range_cells(one.unfitted), std::back_inserter(cells));
    if (one.with_collective) {
      std::ranges::copy(range_cells(*one.with_collective), std::back_inserter(cells));
    } else {
      cells.insert(cells.end(), {"-", "-"});
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

sim::TextTable scores_table(const RangeStudy& study) {
  sim::TextTable table;
  table.rows.push_back(sim::heading_row({"speed-ups", "rows", "off by: mean / worst", "in range",
                                         "interval score", "of the best constant width"}));
  for (const Scored& one : scores_of(study)) {
    table.rows.push_back({fmt::format("  {}", one.name), fmt::format("{}", one.errors.count),
                          error_text(one.errors),
                          fmt::format("{:.0f} %", 100 * one.intervals.coverage),
                          fmt::format("{:.2f}", one.intervals.score),
                          fmt::format("{:.2f}", one.intervals.constant_score)});
  }
  return table;
}

std::vector<Json> records_of(const RangeStudy& study) {
  std::vector<Json> records;
  for (const RangedPair& one : study.pairs) {
    Json record{{"id", one.pair.id}, {"fold", one.pair.fold}, {"published", one.unfitted.measured}};
    record["predicted"] = one.unfitted.predicted;
    record["low"] = one.unfitted.low;
    record["high"] = one.unfitted.high;
    record["inside"] = one.unfitted.is_inside();
    const auto& fitted = one.with_collective;
    record["with_collective"] = fitted ? Json(fitted->predicted) : Json();
    record["with_collective_low"] = fitted ? Json(fitted->low) : Json();
    record["with_collective_high"] = fitted ? Json(fitted->high) : Json();
    records.push_back(std::move(record));
  }
  return records;
}

Json json_of(const RangeStudy& study) {
  Json json{{"schema_version", 1}, {"study", "ranges"}};
  for (const Scored& one : scores_of(study)) {
    json["errors"][one.key] = {{"rows", one.errors.count},
                               {"mean", one.errors.mean},
                               {"worst", one.errors.worst},
                               {"coverage", one.intervals.coverage},
                               {"interval_score", one.intervals.score},
                               {"constant_interval_score", one.intervals.constant_score},
                               {"constant_factor", one.intervals.constant_factor}};
  }
  json["constants"] = {{"communicator_bandwidth_GBps", study.communicator_GBps},
                       {"fitted_on", kCollective}};
  json["rows"] = records_of(study);
  return json;
}

}  // namespace

void validate_ranges(const std::string& format, int jobs) {
  const RangeStudy study = predicted_study(jobs);
  if (format == "table") {
    print_styled(to_text(pairs_of(study), output_width()));
    print_text(
        "\n  one collective: {} measured {:.1f} GB/s of one communicator; nothing else is "
        "fitted\n\n",
        kCollective, study.communicator_GBps);
    print_styled(to_text(scores_table(study), output_width()));
    print_text(
        "\n  interval score: width, and ten times what lies beyond, on logarithms; the "
        "constant width\n  is the one that scores best on these very rows\n");
    return;
  }
  print_records(format, json_of(study), records_of(study));
}

}  // namespace apps
