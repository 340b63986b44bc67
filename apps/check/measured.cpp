// SPDX-License-Identifier: Apache-2.0
#include "apps/check/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/job/measured_steps.hpp"
#include "apps/print.hpp"
#include "apps/terminal.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/likely.hpp"
#include "sim/base/parallel.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/text_table.hpp"
#include "sim/study/fit/diagnosis.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/simulation.hpp"

namespace apps {
namespace {

namespace study = sim::study;
using study::MeasuredStep;

// A measured time beside its prediction, both in seconds.
struct Drift {
  std::string name;
  double measured_s = 0, predicted_s = 0;
  double least_s = 0, most_s = 0;  // the likely range
  [[nodiscard]] bool is_beyond() const { return measured_s < least_s || measured_s > most_s; }
};

Drift drift_of(const MeasuredStep& step) {
  const sim::Report report = study::simulate(step.job, step.setup).report;
  const sim::LikelyRange range = study::range_of(step.job, step.setup, report);
  // Steps have as many tokens each.
  const double tokens = report.time_s * report.tokens_per_s;
  return {.name = step.name,
          .measured_s = step.seconds,
          .predicted_s = report.time_s,
          .least_s = tokens / range.tokens_per_s_high,
          .most_s = tokens / range.tokens_per_s_low};
}

// Kernels by group. All of them may be as far off as the compute efficiency.
std::vector<Drift> drifts_of(const MeasuredStep& step, const study::TraceFit& traced) {
  constexpr double kLeastShare = 0.01;  // of the step: shorter ones do not show in it
  const double off =
      sim::kLikelySpreads * study::efficiency_spread(step.job.cluster()).of_logarithm;
  std::vector<Drift> drifts;
  for (const study::GroupTime& one : traced.groups) {
    if (std::max(one.measured_s, one.base_s) < kLeastShare * traced.measured_step_s) continue;
    drifts.push_back({std::string(one.group->text), one.measured_s, one.base_s,
                      one.base_s * std::exp(-off), one.base_s * std::exp(off)});
  }
  return drifts;
}

sim::TextTable drift_table(const char* what, const std::vector<Drift>& drifts) {
  sim::TextTable table{.align = "<"};
  table.rows.push_back(
      sim::heading_row({what, "measured", "predicted", "likely range", "drift", ""}));
  for (const Drift& one : drifts) {
    const bool is_slower = one.measured_s > one.most_s;
    table.rows.push_back(
        {one.name, fmt::format("{:.4g} s", one.measured_s),
         fmt::format("{:.4g} s", one.predicted_s),
         fmt::format("{:.4g} to {:.4g} s", one.least_s, one.most_s),
         one.predicted_s > 0
             ? fmt::format("{:+.1f} %", 100 * (one.measured_s / one.predicted_s - 1))
             : "-",
         sim::TableCell(one.is_beyond() ? is_slower ? "slower" : "faster" : "",
                        is_slower ? sim::Style::bad : sim::Style::good)});
  }
  return table;
}

void print_unmodelled(const study::TraceFit& traced) {
  for (const sim::trace::ClassTime& one : traced.unmodelled) {
    print_text("not in the model: {:.4g} s of {}\n", one.seconds.mean, row_of(one.value).text);
  }
}

// Of the traced step, by group of kernels.
std::vector<Drift> check_trace(const MeasuredCheck& options, const MeasuredStep& step) {
  std::vector<sim::trace::Trace> traces;
  for (const std::string& file : options.traces) traces.push_back(sim::trace::read_trace(file));
  const study::TraceFit traced =
      study::compare_trace(summarize(traces), step.job, step.setup, study::ranks_of(traces));
  for (const std::string& line : study::remarks_on(traced)) {
    print_note("warning: {}\n", with_flags(line));
  }
  std::vector<Drift> drifts = drifts_of(step, traced);
  print_text("\n");
  print_styled(to_text(drift_table("kernels", drifts), output_width()));
  print_unmodelled(traced);
  return drifts;
}

void print_diagnosis(const std::vector<MeasuredStep>& steps, int jobs) {
  const study::LikelyFit fit = study::fit_steps(steps, jobs);
  for (const std::string& sentence : sentences_of(study::diagnose(steps, fit, jobs))) {
    print_text("{}\n", with_flags(sentence));
  }
}

}  // namespace

void check_measured_flags(const std::set<std::string>& given, bool has_topology) {
  for (const std::string& flag : given) {
    if (flag == "measured" || flag == "trace" || flag == "jobs") continue;
    throw sim::InputError(fmt::format(
        "--{}: is of checks against a baseline, not of --measured; leave it out", flag));
  }
  if (!has_topology) {
    throw sim::InputError("--topology: is missing; name the cluster of the measured steps");
  }
}

void refuse_measured_flags(const std::set<std::string>& given, bool has_traces) {
  if (given.empty() && !has_traces) return;
  throw sim::InputError(fmt::format("--{}: applies to --measured; add it, or leave this one out",
                                    has_traces ? "trace" : *given.begin()));
}

int check_measured(const MeasuredCheck& options) {
  const std::vector<MeasuredStep> steps = read_measured_steps(options.steps, options.job_flags);
  if (!options.traces.empty() && steps.size() != 1) {
    throw sim::InputError(fmt::format(
        "--trace: is of one step, but {} has {}; give a file of the profiled step alone",
        sim::printable_path(options.steps), steps.size()));
  }
  std::vector<Drift> drifts = sim::in_parallel(options.jobs, steps.size(),
                                               [&](std::size_t i) { return drift_of(steps[i]); });
  print_styled(to_text(drift_table("step", drifts), output_width()));
  if (!options.traces.empty()) {
    const std::vector<Drift> parts = check_trace(options, steps.front());
    drifts.insert(drifts.end(), parts.begin(), parts.end());
  }
  const auto beyond = std::ranges::count_if(drifts, &Drift::is_beyond);
  print_text("\n{}\n", beyond == 0 ? "Every measurement lies within the likely range."
                       : beyond == 1
                           ? "1 measurement lies outside the likely range."
                           : fmt::format("{} measurements lie outside the likely range.", beyond));
  if (beyond > 0) print_diagnosis(steps, options.jobs);
  return beyond == 0 ? 0 : 1;
}

}  // namespace apps
