// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/validate_layouts.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "apps/validate/blind_runs.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/text_table.hpp"
#include "sim/study/plan/plan_question.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/validation/layouts.hpp"

namespace apps {
namespace {

namespace validation = sim::validation;
using Json = nlohmann::ordered_json;
using validation::LayoutGroup;
using validation::LayoutPrediction;
using validation::LayoutRow;
using validation::LayoutScores;

LayoutPrediction predict_layout(const LayoutRow& row) {
  const BlindRun run = training_run(
      row.id, arguments_of(fmt::format("--topology {} --model {} {}", validation::kLayoutsTopology,
                                       validation::kLayoutsModel, row.flags)));
  const auto memory = static_cast<double>(run.job.cluster().gpu.memory.count);
  LayoutPrediction one{.memory_share = memory_needed(run.job, run.setup) / memory};
  if (!row.ran) return one;
  const auto& learnt = run.job.cluster().default_efficiency;
  const double efficiency = learnt ? learnt->efficiency : 1;
  one.tokens_per_s_per_gpu = 1 / token_seconds(run, efficiency);
  one.serial = 1 / serial_token_seconds(run, efficiency);
  return one;
}

std::string regret_text(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string share_text(int part, int all) { return regret_text(double{1} * part / all); }

void print_table(const LayoutScores& scores, double headroom) {
  sim::TextTable table;
  table.rows.push_back(
      sim::heading_row({"layouts of one job and kernel", "ran", "regret", "rank correlation",
                        "serial: regret", "rank correlation"}));
  const auto add = [&](const std::string& name, const std::string& rows,
                       const validation::LayoutOrder& simulated,
                       const validation::LayoutOrder& serial) {
    table.rows.push_back({name, rows, regret_text(simulated.regret),
                          fmt::format("{:.2f}", simulated.correlation), regret_text(serial.regret),
                          fmt::format("{:.2f}", serial.correlation)});
  };
  for (const auto& [name, group] : scores.groups) {
    add("  " + name, fmt::format("{}", group.rows), group.simulated, group.serial);
  }
  add("mean", fmt::format("{}", scores.ran), scores.simulated, scores.serial);
  print_styled(to_text(table, output_width()));
  print_text(
      "\n"
      "  regret: how much faster the best layout is than the one that is predicted to be the\n"
      "  fastest of those that ran and are predicted to fit\n"
      "  serial: kernels plus bytes over bandwidths, nothing overlapping\n"
      "\n"
      "refused, as they need more than {:g} % of the memory: {} of {} that ran out of memory,\n"
      "{} of {} that ran\n",
      100 * (1 - headroom), share_text(scores.out_refused, scores.out_of_memory),
      scores.out_of_memory, share_text(scores.ran_refused, scores.ran), scores.ran);
}

Json record_of(const LayoutRow& row, const LayoutPrediction& one, double headroom) {
  const auto if_ran = [&](double value) { return row.ran ? Json(value) : Json(nullptr); };
  return {{"id", row.id},
          {"group", row.group},
          {"ran", row.ran},
          {"fits", one.memory_share <= 1 - headroom},
          {"memory_share", one.memory_share},
          {"published", if_ran(row.tokens_per_s_per_gpu)},
          {"predicted", if_ran(one.tokens_per_s_per_gpu)},
          {"serial", if_ran(one.serial)}};
}

}  // namespace

void validate_layouts(const std::string& format, int jobs) {
  const std::vector<LayoutRow> rows = validation::read_layouts(data_directory());
  Progress progress("predicting layouts", static_cast<int>(rows.size()));
  const auto predictions = sim::in_parallel(jobs, rows.size(), [&](std::size_t i) {
    progress.step();
    return predict_layout(rows[i]);
  });
  const double headroom = sim::study::PlanQuestion{}.memory_headroom;
  if (format == "table") return print_table(score_layouts(rows, predictions, headroom), headroom);
  std::vector<Json> records;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    records.push_back(record_of(rows[i], predictions[i], headroom));
  }
  print_records(format, records);
}

}  // namespace apps
