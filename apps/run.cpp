// SPDX-License-Identifier: Apache-2.0
// run: one training step of one scheme, or of several side by side; or, where the topology is several
// sites, rounds.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <span>

#include "apps/exit_code.hpp"
#include "apps/launch/file_changes.hpp"
#include "apps/print.hpp"
#include "apps/run/scheme_comparison.hpp"
#include "sim/base/error.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

// In the launch file of --from, for what the search chose.
void print_changes(const RunOptions& options, std::span<const sim::Report> reports) {
  if (options.job.from.empty()) return;
  for (const sim::Report& report : reports) {
    if (!report.flags) continue;
    const std::string changes = changes_in(options.job.from, *report.flags);
    if (!changes.empty()) print_text("\n{}: {}", report.scheme, changes);
  }
}

void print_run(const RunOptions& options, SchemeComparison& comparison) {
  print(options, comparison.reports(), comparison.sentence());
  if (options.format != "table") return;
  // Last, and line by line: each takes many simulations.
  comparison.find_break_evens([first = true](const sim::Report& report) mutable {
    if (!report.break_even) return;
    print_text("{}{}\n", first ? "\n" : "", sim::break_even_line(report));
    std::fflush(stdout);
    first = false;
  });
  print_changes(options, comparison.reports());
}

}  // namespace

int run_command(const Arguments& arguments) {
  const auto options = parse_run(arguments);
  if (!options) return 0;
  SchemeComparison comparison(*options);
  comparison.run();
  print_run(*options, comparison);
  return 0;
}

RunTexts texts_of(const Arguments& arguments, std::optional<int> ranks) {
  RunTexts texts;
  told("run", [&] {
    auto options = parse_run(arguments);
    if (!options) return;
    options->format = "json";
    options->draws = ranks.has_value();
    options->perfetto_ranks = ranks.value_or(0);
    SchemeComparison comparison(*options);
    comparison.run();
    texts = {.sentence = comparison.sentence(),
             .json = sim::to_json(comparison.reports()),
             .csv = sim::to_csv(comparison.reports())};
    if (ranks) texts.perfetto = comparison.perfetto();
    for (const sim::Report& report : comparison.reports()) {
      if (report.break_even) texts.break_evens += sim::break_even_line(report) + "\n";
    }
  });
  return texts;
}

nlohmann::ordered_json report_of(const Arguments& arguments) {
  nlohmann::ordered_json report;
  told("run", [&] {
    const auto options = parse_run(arguments);
    if (!options) return;
    SchemeComparison comparison(*options);
    comparison.run();
    report = nlohmann::ordered_json::parse(sim::to_json(std::span(comparison.reports()).last(1)));
  });
  return report;
}

std::string refusal_of(const Arguments& arguments) {
  try {
    told("run", [&] {
      if (const auto options = parse_run(arguments)) Columns{*options};
    });
  } catch (const sim::InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace apps
