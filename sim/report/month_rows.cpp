// SPDX-License-Identifier: Apache-2.0
#include "sim/report/month_rows.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sim/base/quantity_text.hpp"
#include "sim/report/figure_rows.hpp"
#include "sim/report/records.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

bool saves(const Report& report) {
  return report.goodput &&
         report.goodput->checkpoint.stall_s + report.goodput->checkpoint.write_s > 0;
}

std::string span_text(const Report& report) {
  const bool ends = std::isfinite(report.goodput->interruptions);
  return ends ? " in " + long_time_text(report.goodput->span_s) : "";
}

std::string interruptions_text(double count) {
  return std::isfinite(count) ? number_text(count, 1) : "without end";
}

// Both ends in the unit of the figure, which is in the row above.
TableRow target_range(const std::string& name, std::string (*text)(double value, double like)) {
  const auto cell = [name, text](const Report& r) -> std::string {
    const auto like = number_of(figure_named(name), r);
    const auto end = [&](const char* which) {
      return text(*number_of(figure_named(name + which), r), *like);
    };
    return like ? joined_range(end("_low"), end("_high")) : kNone;
  };
  return below({.label = kLikely, .cell = cell, .figure = figure_named(name).name});
}

}  // namespace

std::vector<TableRow> goodput_rows() {
  const auto best = [](const Report& r) { return r.goodput->is_best ? " (best)" : ""; };
  const auto bound = [](const Report& r) {
    return r.goodput->bound_by_loading ? " (bound by loading)" : "";
  };
  return {
      row_of("reliability"),
      below(row_of("goodput")),
      range_of(
          "goodput", [](double share) { return fmt::format("{:.1f}", 100 * share); }, " %"),
      below(if_above(0, row_of("checkpoint_share"))),
      below(if_above(0, row_of("detection_share"))),
      below(if_above(0, row_of("restart_share"))),
      below(if_above(0, row_of("repair_share"))),
      below(if_above(0, row_of("recomputed_share"))),
      row_of("job_mtbf_s", long_time_text),
      below(row_of("spare_nodes")),
      followed_by(span_text, row_of("interruptions", interruptions_text)),
      range_of("interruptions", [](double count) { return number_text(count, 0); }),
      only_if(saves, row_of("checkpoint_bytes")),
      below(only_if(saves, row_of("checkpoint_stall_s"))),
      below(if_above(0, row_of("checkpoint_write_s"))),
      below(only_if(saves, followed_by(best, row_of("checkpoint_interval_s", long_time_text)))),
      followed_by(bound, row_of("tokens_per_day")),
      range_of("tokens_per_day", [](double tokens) { return fmt::format("{:.4g}", tokens / 1e9); }),
  };
}

std::vector<TableRow> membership_rows() {
  const auto of_sites = [](const Report& r) { return fmt::format(" of {}", r.membership->sites); };
  return {
      followed_by(of_sites, row_of("members")),
      below(row_of("leaves_per_day")),
      row_of("kept_tokens_per_s"),
      range_of("kept_tokens_per_s"),
      below(row_of("expected_tokens_per_s")),
      below(row_of("kept_share")),
      below(row_of("lost_share")),
      below(row_of("waited_share")),
      below(row_of("idle_share")),
      below(row_of("undone_share")),
      below(row_of("saved_share")),
      row_of("kept_usd_per_million_tokens"),
  };
}

std::vector<TableRow> target_rows() {
  return {
      row_of("target_tokens"),
      below(row_of("training_days")),
      target_range(
          "training_days",
          [](double days, double like) { return long_time_text(days * kDay_s, like * kDay_s); }),
      below(if_above(0, row_of("training_usd", [](double usd) { return total_text(usd, usd); }))),
      if_above(0, target_range("training_usd", total_text)),
  };
}

}  // namespace sim
