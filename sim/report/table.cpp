// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/report/records.hpp"
#include "sim/report/table_rows.hpp"
#include "sim/report/writers.hpp"

namespace sim {
namespace {

constexpr const char* kDoesNotFitNote =
    "!: does not fit in memory; the figure assumes GPUs with more memory\n";
constexpr const char* kBaselineDoesNotFitNote =
    "!: next to a speed-up: the scheme or its baseline does not fit in memory\n";

// A column for each, a row for each figure. Rows whose every cell is "-" are left out, and headings
// without a part below them.
TextTable side_by_side(std::span<const Report> reports, std::span<const Figure> figures) {
  TextTable table{.column = "scheme"};
  const auto drop_heading = [&] {
    if (!table.rows.empty() && table.rows.back().size() == 1) table.rows.pop_back();
  };
  for (const TableRow& row : table_rows(reports.front().round.has_value(), figures)) {
    if (row.depth == 0) drop_heading();
    if (!row.cell) {
      table.rows.push_back({{row.label, Style::heading}});
      continue;
    }
    std::vector<TableCell> cells{std::string(2 * static_cast<std::size_t>(row.depth), ' ') +
                                 row.label};
    for (const Report& report : reports) cells.push_back(row.cell(report));
    const bool empty = std::all_of(cells.begin() + 1, cells.end(),
                                   [](const TableCell& cell) { return cell.text == "-"; });
    if (!empty) table.rows.push_back(std::move(cells));
  }
  drop_heading();
  return table;
}

// "16 data x 2 tensor x 4 pipeline; experts: 2 data x 8 expert x 2 tensor x 4 pipeline".
std::string factors_text(const Report& r) {
  const Parallelism& p = r.parallelism;
  const std::string context = p.context > 1 ? fmt::format(" x {} context", p.context) : "";
  std::string text = fmt::format("{} data x {} tensor{} x {} pipeline", r.step->data, p.tensor,
                                 context, p.pipeline);
  if (!dispatches(p) || r.model_size.parameters.experts == 0) return text;
  const int ranks = r.gpus / p.pipeline / p.expert / expert_tensor(p);
  return text + fmt::format("; experts: {} data x {} expert x {} tensor x {} pipeline", ranks,
                            p.expert, expert_tensor(p), p.pipeline);
}

std::string title(const Report& r) {
  const std::string where =
      r.round ? fmt::format("{} {}, {} GPUs; {} inside a site", r.round->sites,
                            r.round->sites == 1 ? "site" : "sites", r.gpus, r.round->inner_scheme)
              : fmt::format("{} GPU{} = {}", r.gpus, r.gpus == 1 ? "" : "s", factors_text(r));
  const std::string placed =
      r.node_placement.empty() ? "" : fmt::format("; nodes: {}", printable(r.node_placement));
  return fmt::format("{} on {}: {}{}\n{}; {:.4g} GFLOP a token\n{}\n\n", r.model, r.topology, where,
                     placed, parameters_text(r.model_size.parameters),
                     r.model_size.flop_per_token * 1e-9,
                     batch_text(r.global_batch, r.sequence, r.round ? "inner step" : "step"));
}

StyledText notes(std::span<const Report> reports) {
  const bool ranged = std::ranges::any_of(reports, [](const Report& r) { return !!r.range; });
  const bool all_fit = std::ranges::all_of(reports, &Report::fits_memory);
  const bool baselines_fit = std::ranges::all_of(reports, &Report::baseline_fits);
  StyledText text;
  if (ranged || !all_fit || !baselines_fit) append(text, "\n");
  append(text, range_and_fit_notes(ranged, all_fit));
  if (!baselines_fit) append(text, kBaselineDoesNotFitNote, Style::bad);
  return text;
}

std::string chosen_flags(std::span<const Report> reports) {
  std::string text;
  for (const Report& report : reports) {
    if (!report.flags) continue;
    text += fmt::format("\n{}: with {}", heading(report),
                        report.flags->empty() ? "the flags as given" : *report.flags);
  }
  return text.empty() ? text : text + "\n";
}

std::string site_lines(const RoundFigures& round) {
  std::string text;
  for (const SiteReport& site : round.by_site) {
    const bool own_steps = site.inner_steps != round.inner_steps;
    const std::string steps =
        own_steps ? fmt::format("{} inner steps of", site.inner_steps) : "inner step";
    text +=
        fmt::format("{} x {}: {} {}, {} {}{}\n", site.count, site.name, site.gpus, site.gpu, steps,
                    time_text(site.inner_step_s), site.setup.empty() ? "" : "; with " + site.setup);
  }
  return text;
}

// What has kept a round from being complete.
std::string events_of(const Report& report) {
  if (!report.round || report.round->events.empty()) return "";
  constexpr std::size_t kShown = 4;
  const std::span<const std::string> events = report.round->events;
  const auto shown = events.first(std::min(kShown, events.size()));
  const std::size_t more = events.size() - shown.size();
  return fmt::format("{}: the round is {}: {}{}\n", report.scheme, report.round->outcome,
                     joined(shown, "; "),
                     more > 0 ? fmt::format("; and {} more (the JSON has all)", more) : "");
}

// The sources of all reports, each line once.
StyledText source_lines(std::span<const Report> reports) {
  std::string lines;
  for (const Report& report : reports) {
    for (const auto& [constant, source] : report.sources) {
      const std::string line = fmt::format("  {}: {}\n", constant, source);
      if (lines.find(line) == std::string::npos) lines += line;
    }
  }
  StyledText text;
  append(text, "sources\n", Style::heading);
  append(text, lines, Style::note);
  return text;
}

std::string break_even_text(const Report& report) {
  const BreakEven& at = *report.break_even;
  const std::string other =
      report.baseline_flags ? "the fastest uncompressed setup" : report.baseline;
  const auto rate = [](double bytes_per_s) {
    const double gigabits = bytes_per_s * 8 / 1e9;
    return gigabits < 1000 ? fmt::format("{:.3g} Gbps", gigabits)
                           : fmt::format("{:.3g} Tbps", gigabits / 1000);
  };
  if (at.pays_at_Bps == 0) return fmt::format("does not beat {} at any NIC bandwidth", other);
  if (!std::isfinite(at.loses_at_Bps)) {
    return fmt::format("beats {} at every NIC bandwidth up to {}", other, rate(at.pays_at_Bps));
  }
  const auto end = [&](double bytes_per_s) {
    return bytes_per_s == 0              ? std::string("none")
           : !std::isfinite(bytes_per_s) ? std::string("any")
                                         : rate(bytes_per_s);
  };
  return fmt::format("beats {} below about {} per NIC, likely {} to {} (now {})", other,
                     rate(at.pays_at_Bps), end(at.low_Bps), end(at.high_Bps),
                     rate(at.nic_bandwidth_Bps));
}

}  // namespace

StyledText range_and_fit_notes(bool ranged, bool all_fit) {
  StyledText text;
  if (ranged) append(text, kRangeNote, Style::note);
  if (!all_fit) append(text, kDoesNotFitNote, Style::bad);
  return text;
}

std::string break_even_line(const Report& report) {
  if (!report.break_even) return "";
  return heading(report) + ": " + break_even_text(report) + (report.both_fit() ? "" : kDoesNotFit);
}

StyledText to_table(std::span<const Report> reports, std::size_t width,
                    std::span<const Figure> figures) {
  if (reports.empty()) return {};
  const Report& first = reports.front();
  StyledText text;
  append(text, title(first));
  append(text, to_text(side_by_side(reports, figures), width));
  append(text, notes(reports));
  append(text, chosen_flags(reports) + "\n");
  if (first.round) append(text, site_lines(*first.round));
  for (const Report& report : reports) {
    if (report.ended())
      append(text, fmt::format("{}: bound by {}\n", heading(report), report.bound));
    append(text, events_of(report), Style::bad);
  }
  append(text, "\n");
  append(text, source_lines(reports));
  return text;
}

}  // namespace sim
