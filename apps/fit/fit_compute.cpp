// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/fit_compute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "apps/data_files.hpp"
#include "apps/fit/base_text.hpp"
#include "apps/fit/compute_output.hpp"
#include "apps/fit/diagnosis_output.hpp"
#include "apps/fit/trace_output.hpp"
#include "apps/job/measured_steps.hpp"
#include "apps/job/topology_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/study/fit/cluster_file.hpp"
#include "sim/study/fit/misfit.hpp"

namespace apps {
namespace {

namespace study = sim::study;
using study::MeasuredStep;

std::filesystem::path base_file(const FitOptions& options) {
  require_cluster(options.job.topology, "measured steps are of one cluster");
  return data_file(Kind::topology, options.job.topology);
}

void write_cluster(const FitOptions& options, const study::ComputeFit& fit,
                   const std::string& source, const std::vector<std::string>& rows) {
  if (options.output.empty()) return;
  const std::filesystem::path file = base_file(options);
  sim::write_file("--output", options.output,
                  cluster_text(fit, source, rows, base_text(options, file), file));
}

std::vector<std::string> names_in(const std::string& file, const std::vector<MeasuredStep>& steps) {
  const std::string stem = sim::printable_path(std::filesystem::path(file).stem());
  std::vector<std::string> names;
  for (const MeasuredStep& step : steps) names.push_back(stem + "/" + step.name);
  return names;
}

// Every second row, from the second.
std::vector<MeasuredStep> held_out(const FitOptions& options, std::vector<MeasuredStep>& steps) {
  std::vector<MeasuredStep> used, held;
  if (options.hold_out.empty()) return held;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    (i % 2 == 0 ? used : held).push_back(std::move(steps[i]));
  }
  steps = std::move(used);
  if (held.empty()) {
    throw sim::InputError("--hold-out: needs two measured steps or more; add a row");
  }
  return held;
}

}  // namespace

int fit_to_steps(const FitOptions& options) {
  std::vector<MeasuredStep> steps = read_measured_steps(options.steps, options.job_flags);
  StepFitAnswer answer{.file = options.steps, .held = held_out(options, steps)};
  answer.steps = std::move(steps);
  answer.fit = study::fit_steps(answer.steps, options.jobs);
  answer.diagnosis = study::diagnose(answer.steps, answer.fit, options.jobs);
  answer.misfits = misfits_of(answer.fit, study::timed(answer.steps, options.jobs));
  if (!answer.held.empty()) {
    answer.held_base_s = predicted_steps(answer.held, {}, options.jobs);
    answer.held_fit_s = predicted_steps(answer.held, answer.fit.values(), options.jobs);
  }
  const int code = exit_code_of_misfits(answer.misfits, options.force);
  if (code == 0) {
    write_cluster(
        options, answer.fit,
        fmt::format("{} step{} ({})", answer.steps.size(), answer.steps.size() == 1 ? "" : "s",
                    sim::printable_path(options.steps)),
        names_in(options.steps, answer.steps));
  }
  print(options.format, answer);
  return code;
}

int fit_to_trace(const FitOptions& options) {
  std::vector<sim::trace::Trace> traces;
  for (const std::string& file : options.traces) traces.push_back(sim::trace::read_trace(file));
  TraceFitAnswer answer{.files = options.traces, .measured = summarize(traces)};
  if (!options.has_job()) {
    print(options.format, answer.measured);
    return 0;
  }
  const MeasuredStep step = read_step(options.job_flags);
  answer.gpu = step.job.cluster().gpu.name;
  answer.fit = study::fit_trace(answer.measured, step.job, step.setup, study::ranks_of(traces));
  std::vector<std::string> rows;
  for (const std::string& file : options.traces) {
    rows.push_back(sim::printable_path(std::filesystem::path(file).filename()));
  }
  answer.misfits = remarks_on(answer.fit);
  const int code = exit_code_of_misfits(answer.misfits, options.force);
  if (code == 0)
    write_cluster(options, answer.fit.fit,
                  fmt::format("kernels of {} profiled step{}", answer.measured.steps,
                              answer.measured.steps == 1 ? "" : "s"),
                  rows);
  print(options.format, answer);
  return code;
}

}  // namespace apps
