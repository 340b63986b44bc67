// SPDX-License-Identifier: Apache-2.0
#include "apps/run/scheme_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <utility>

#include "apps/data_files.hpp"
#include "apps/job/asked_warnings.hpp"
#include "apps/job/reliability_options.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/progress.hpp"
#include "apps/run/answer.hpp"
#include "apps/run/month.hpp"
#include "apps/run/verdict.hpp"
#include "apps/run/warnings.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/json_reader.hpp"
#include "sim/base/parallel.hpp"
#include "sim/report/pareto.hpp"
#include "sim/report/simulated_trace.hpp"
#include "sim/report/sources.hpp"
#include "sim/report/writers.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/study/goodput.hpp"
#include "sim/study/known_reports.hpp"
#include "sim/study/membership.hpp"
#include "sim/study/search/break_even.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/search/verdict.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/trace/write_trace.hpp"

namespace apps {
namespace {

using sim::study::Simulation;

// Reading takes as long as a small simulation, and goes on beside it.
using ErrorsOfCodecs = std::shared_future<sim::JsonDocument>;

void complete(const Job& job, const Setup& setup, sim::Report& report) {
  report.sensitivity = sensitivity_of(job, setup, report);
  if (!report.round) return;
  for (std::string& event : report.round->events) event = with_flags(event);
}

sim::CodecErrors errors_of(const Job& job, const Setup& setup, const ErrorsOfCodecs& errors) {
  return job.inner ? sim::codec_errors(errors.get(), setup.scheme)
                   : sim::codec_errors(errors.get(), job.context(setup), setup.scheme);
}

// Of the sites; ranks have none.
std::vector<std::string> names_in_timeline(const Job& job) {
  std::vector<std::string> names;
  for (int place = 0; job.inner && place < sim::place_count(job.topology); ++place) {
    names.push_back(sim::place_name(job.topology, place));
  }
  return names;
}

void check_output(const char* flag, const std::string& file) {
  if (!file.empty()) sim::require_writable(flag, file);
}

std::size_t last_given(const std::vector<Column>& all) {
  const auto last = std::ranges::find(all.rbegin(), all.rend(), true, &Column::is_given);
  return static_cast<std::size_t>(all.rend() - last) - 1;
}

bool is_same(const Setup& one, const Setup& other) {
  return one.scheme == other.scheme && one.parallelism == other.parallelism;
}

}  // namespace

SchemeComparison::SchemeComparison(const RunOptions& options)
    : options_(options), columns_(options), job_(columns_.job()), times_(job_, options.jobs) {
  if (!options.month.empty()) check_what_fails(job_, "--month");
}

void SchemeComparison::run() {
  check_output("--perfetto", options_.perfetto);
  check_output("--kineto", options_.kineto);
  check_output("--month", options_.month);
  if (!job_.inner) {
    warn_of_unused_nics(options_.job, job_.cluster());
    warn_of_unbuilt_nics(options_.job, job_.cluster());
  }
  warn_of_layout(job_);
  const std::vector<Column> all = columns_.choose(times_);
  std::vector<Setup> shown;
  for (const Column& one : all) {
    if (!one.is_shown) continue;
    warn(one);
    shown.push_back(one.side.setup);
  }
  warn_of_asked(job_, shown);
  std::vector<Simulated> results = simulate_all(all);
  if (!options_.month.empty()) {
    const std::size_t last = last_given(all);
    write_month(options_.month, job_, all[last].side.setup, results[last].result.report);
  }
  for (std::size_t i = 0; i < all.size(); ++i) know(all[i].side.setup, results[i].result.report);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].is_shown) continue;
    add(all[i], std::move(results[i].result.report));
    most_operations_ = std::max(most_operations_, results[i].operations);
  }
  if (options_.draws) drawn_ = std::move(results[last_given(all)].result);
  write_timelines();
  note_left_out(options_, most_operations_);
  // With two reports the speed-up already decides.
  if (reports_.size() > 2 && !job_.inner) {
    sim::mark_pareto_front(reports_);
  } else {
    for (sim::Report& report : reports_) report.pareto.reset();
  }
  if (options_.break_even && options_.format != "table") find_break_evens([](const auto&) {});
}

std::string SchemeComparison::perfetto() const {
  return sim::to_perfetto(drawn_.schedule, drawn_.timeline, options_.perfetto_ranks,
                          names_in_timeline(job_));
}

void SchemeComparison::find_break_evens(const std::function<void(const sim::Report&)>& found) {
  for (const Compared& one : compared_) {
    sim::Report& report = reports_[one.report];
    Progress progress("searching for the break-even bandwidth", 0);
    report.break_even =
        find_break_even(job_, one.side.choices, one.baseline.choices, times_, progress.watch());
    found(report);
  }
}

std::string SchemeComparison::sentence() const {
  return columns_.has_best() ? apps::verdict(reports_.front(), compressed_) : answer(reports_);
}

// Warnings that need no simulation.
void SchemeComparison::warn(const Column& column) const {
  warn_of_kernels(job_, column.side.setup);
  if (column.is_given || columns_.has_best()) {
    warn_of_memory(options_, job_, column.side.setup);
  }
}

SchemeComparison::Simulated SchemeComparison::simulate_column(const Column& column,
                                                              bool is_drawn) const {
  const Setup& setup = column.side.setup;
  const bool is_baseline = !column.is_given || setup.scheme.sends_plain();
  if (is_baseline && !is_drawn && !job_.inner) {
    static sim::study::KnownReports known_of_baselines;
    const auto known = known_of_baselines.of(job_, setup);
    return {{.report = known->report}, known->operations};
  }
  Job job = job_;
  job.each_micro_batch = is_drawn;
  Simulation result = simulate(job, setup);
  const std::size_t operations = result.schedule.operations.size();
  if (is_drawn) return {std::move(result), operations};
  return {{.report = std::move(result.report)}, operations};
}

std::vector<SchemeComparison::Simulated> SchemeComparison::simulate_all(
    const std::vector<Column>& all) const {
  Progress progress("simulating schemes", static_cast<int>(all.size()));
  const int jobs_of_each = std::max(1, options_.jobs / static_cast<int>(all.size()));
  const ErrorsOfCodecs errors =
      std::async(options_.jobs > 1 ? std::launch::async : std::launch::deferred, sim::read_json,
                 codec_error_file());
  return sim::in_parallel(options_.jobs, all.size(), [&](std::size_t i) {
    progress.step();
    const Setup& setup = all[i].side.setup;
    const bool is_drawn = options_.draws && i == last_given(all);
    Simulated one = simulate_column(all[i], is_drawn);
    sim::Report& report = one.result.report;
    complete(job_, setup, report);
    if (all[i].is_shown && wants_range(options_, one.operations)) {
      report.range = range_of(job_, setup, report, jobs_of_each);
    }
    report.codec_error = errors_of(job_, setup, errors);
    if (all[i].is_shown) {
      report.goodput = goodput_of(job_, setup, report);
      report.membership = membership_of(job_, setup, report);
    }
    return one;
  });
}

void SchemeComparison::write_timelines() const {
  if (!options_.perfetto.empty()) sim::write_file("--perfetto", options_.perfetto, perfetto());
  if (!options_.kineto.empty()) {
    sim::write_file(
        "--kineto", options_.kineto,
        to_kineto(sim::simulated_trace(drawn_.schedule, drawn_.timeline, job_.cluster().gpu.name)));
  }
}

void SchemeComparison::add(const Column& column, sim::Report report) {
  const Chosen& side = column.side;
  warn_of_folds(report);
  warn_of_balance(job_, report);
  warn_of_overlap(job_, column.side.setup, report);
  report.pareto = pareto_place(side.setup.scheme, report);
  if (side.chosen) report.flags = flags_of(job_, side.setup);
  if (column.baseline) compare(side, *column.baseline, report);
  reports_.push_back(report);
  const bool competes = columns_.has_best() && column.is_given && !side.setup.scheme.sends_plain();
  if (competes) compressed_.push_back(std::move(report));
}

void SchemeComparison::compare(const Chosen& side, const Chosen& baseline, sim::Report& report) {
  const sim::Report& base = report_of(baseline.setup);
  report.baseline = baseline.setup.scheme.name;
  report.baseline_fits = fits_memory(job_, baseline.setup);
  report.speedup = speedup(report, base);
  const bool both_train = std::isfinite(report.speedup) && report.speedup > 0;
  if (both_train && !is_same(side.setup, baseline.setup)) {
    report.speedup_range =
        sim::study::range_of_ratio(report.speedup, report.sensitivity, base.sensitivity);
  }
  report.verdict = sim::study::verdict_of({.speedup = report.speedup,
                                           .range = report.speedup_range,
                                           .fits = report.fits_memory,
                                           .other_fits = report.baseline_fits});
  if (baseline.chosen) report.baseline_flags = flags_of(job_, baseline.setup);
  if (!job_.inner) compared_.push_back({reports_.size(), side, baseline});
}

void SchemeComparison::know(const Setup& setup, const sim::Report& report) {
  reports_of_.at(setup.parallelism, setup.scheme).first = report;
  if (!job_.inner) times_.know(setup, report.time_s);
}

const sim::Report& SchemeComparison::report_of(const Setup& setup) {
  const auto [known, added] = reports_of_.at(setup.parallelism, setup.scheme);
  if (added) {
    known = simulate(job_, setup).report;
    known.sensitivity = sensitivity_of(job_, setup, known);
    known.membership = membership_of(job_, setup, known);
  }
  return known;
}

// Steps have as many tokens each; rounds may not.
double SchemeComparison::speedup(const sim::Report& report, const sim::Report& base) const {
  if (!job_.inner) return base.time_s / report.time_s;
  return report.trained_tokens_per_s() / base.trained_tokens_per_s();
}

}  // namespace apps
