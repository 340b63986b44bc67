// SPDX-License-Identifier: Apache-2.0
#include "sim/report/goodput_rows.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "sim/base/quantity_text.hpp"
#include "sim/report/target_rows.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

// A figure of the goodput; "-" where there is none, or where it is empty.
TableRow goodput_row(std::string label,
                     const std::function<std::string(const GoodputFigures&)>& text) {
  return {std::move(label), [text](const Report& report) {
            const std::string known = report.goodput ? text(*report.goodput) : "";
            return known.empty() ? std::string("-") : known;
          }};
}

std::string percent_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

TableRow share_row(std::string label, double TimeShares::*share) {
  return goodput_row(std::move(label), [share](const GoodputFigures& g) {
    const double value = g.shares.*share;
    return value > 0 ? fmt::format("{:.2f} %", 100 * value) : std::string();
  });
}

std::string bytes_text(double bytes) { return to_text(Bytes{std::llround(bytes)}); }

bool saves(const GoodputFigures& g) { return g.checkpoint.stall_s + g.checkpoint.write_s > 0; }

std::vector<TableRow> checkpoint_rows() {
  return {
      goodput_row("checkpoint",
                  [](const GoodputFigures& g) {
                    return saves(g) ? bytes_text(g.checkpoint.state_bytes) : std::string();
                  }),
      goodput_row("  stalls for",
                  [](const GoodputFigures& g) {
                    return saves(g) ? to_text(Seconds::from_base(g.checkpoint.stall_s))
                                    : std::string();
                  }),
      goodput_row("  written after",
                  [](const GoodputFigures& g) {
                    return g.checkpoint.write_s > 0
                               ? to_text(Seconds::from_base(g.checkpoint.write_s))
                               : std::string();
                  }),
      goodput_row("  each",
                  [](const GoodputFigures& g) {
                    return saves(g) ? fmt::format("{}{}", long_time_text(g.interval_s),
                                                  g.is_best ? " (best)" : "")
                                    : std::string();
                  }),
  };
}

}  // namespace

std::vector<TableRow> goodput_rows() {
  std::vector<TableRow> rows{
      goodput_row("goodput, with failures of",
                  [](const GoodputFigures& g) { return g.reliability; }),
      goodput_row("  share of the time kept",
                  [](const GoodputFigures& g) { return percent_text(g.shares.goodput); }),
      goodput_row(kRangeLabel,
                  [](const GoodputFigures& g) {
                    return fmt::format("{:.1f}-{}", 100 * g.goodput_low,
                                       percent_text(g.goodput_high));
                  }),
      share_row("  checkpoints", &TimeShares::checkpoints),
      share_row("  detection", &TimeShares::detection),
      share_row("  restart", &TimeShares::restart),
      share_row("  waiting for repairs", &TimeShares::repair),
      share_row("  trained again", &TimeShares::recomputed),
      goodput_row("time between failures",
                  [](const GoodputFigures& g) {
                    return std::isfinite(g.mtbf_s()) ? long_time_text(g.mtbf_s()) : "never";
                  }),
      goodput_row("  spare nodes",
                  [](const GoodputFigures& g) { return fmt::format("{}", g.spares); }),
      goodput_row("interruptions",
                  [](const GoodputFigures& g) {
                    if (!std::isfinite(g.interruptions)) return std::string("without end");
                    return fmt::format("{} in {}", number_text(g.interruptions, 1),
                                       long_time_text(g.span_s));
                  }),
      goodput_row(kRangeLabel,
                  [](const GoodputFigures& g) {
                    if (!std::isfinite(g.interruptions_high)) return std::string();
                    return fmt::format("{}-{}", number_text(g.interruptions_low, 0),
                                       number_text(g.interruptions_high, 0));
                  }),
  };
  for (TableRow& row : checkpoint_rows()) rows.push_back(std::move(row));
  for (TableRow& row : std::vector<TableRow>{
           goodput_row("tokens per day",
                       [](const GoodputFigures& g) {
                         return fmt::format("{:.4g} billion{}", g.tokens_per_day / 1e9,
                                            g.bound_by_loading ? " (bound by loading)" : "");
                       }),
           goodput_row(kRangeLabel,
                       [](const GoodputFigures& g) {
                         return fmt::format("{:.4g}-{:.4g}", g.tokens_per_day_low / 1e9,
                                            g.tokens_per_day_high / 1e9);
                       }),
       }) {
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace sim
