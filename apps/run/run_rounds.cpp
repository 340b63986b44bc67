// SPDX-License-Identifier: Apache-2.0
// run, where the topology is several sites: rounds of one scheme or of several side by side.
#include <algorithm>
#include <utility>

#include "apps/data_files.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/progress.hpp"
#include "apps/run/answer.hpp"
#include "apps/run/run_options.hpp"
#include "apps/search/efficiency_range.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/report/writers.hpp"
#include "sim/rounds/site_work.hpp"

namespace apps {
namespace {

// The scheme that `name` means as the baseline of `scheme`.
sim::Scheme baseline_of(const std::string& name, const RoundJob& job, const sim::Scheme& scheme) {
  if (name != "twin") {
    return job.with_taken_settings(scheme_of(name, "--baseline", sim::SchemeKind::between_sites));
  }
  sim::Scheme twin = twin_of(scheme);
  twin.between_sites->inner_steps = scheme.between_sites->inner_steps;
  twin.between_sites->fragments = scheme.between_sites->fragments;
  twin.between_sites->overlap_steps = scheme.between_sites->overlap_steps;
  return twin;
}

void write_timeline(const RunOptions& options, const RoundJob& job,
                    const sim::RoundResult& result) {
  std::vector<std::string> names;
  for (int place = 0; place < sim::place_count(job.area); ++place) {
    names.push_back(sim::place_name(job.area, place));
  }
  sim::write_file(options.perfetto, sim::to_perfetto(result.plan.schedule, result.timeline,
                                                     options.perfetto_ranks, names));
}

void warn_of_sites(const RunOptions& options, const RoundJob& job, const sim::Scheme& scheme) {
  const sim::RoundContext context = job.context();
  for (std::size_t table = 0; table < job.area.sites.size(); ++table) {
    warn_of_memory(options, fmt::format("{} at {}", scheme.name, job.area.sites[table].name),
                   site_memory(context, table, scheme), context.step(table), job.inner);
  }
}

void refuse_step_flags(const RunOptions& options) {
  if (options.break_even) {
    throw sim::InputError(
        "--break-even: applies to one cluster's NICs; between sites, use solve --beats");
  }
  if (options.tune) refuse_tune(options.job.topology);
}

std::vector<std::string> gpus_of(const sim::WideArea& area) {
  std::vector<std::string> names;
  for (const sim::Site& site : area.sites) names.push_back(site.cluster.gpu.name);
  return names;
}

// Refuses all that can be refused before the first simulation.
RoundJob read(const RunOptions& options) {
  refuse_step_flags(options);
  RoundJob job = read_round_job(options.job);
  for (const sim::Site& site : job.area.sites) {
    warn_of_tensor_nodes(site.cluster, job.parallelism);
  }
  for (const sim::Scheme& scheme : job.schemes) {
    if (options.require_fit) warn_of_sites(options, job, scheme);
    if (options.baseline.empty()) continue;
    sim::check(job.context(), baseline_of(options.baseline, job, scheme));
  }
  return job;
}

}  // namespace

void check_rounds(const RunOptions& options) { static_cast<void>(read(options)); }

int run_rounds(const RunOptions& options) {
  const RoundJob job = read(options);
  warn_of_unknown_gpus(job.inner, gpus_of(job.area));
  std::vector<sim::Report> reports;
  std::size_t most_operations = 0;
  Progress progress("simulating schemes", static_cast<int>(job.schemes.size()));
  for (const sim::Scheme& scheme : job.schemes) {
    warn_of_unknown_gpus(scheme, gpus_of(job.area));
    progress.step();
    const sim::RoundResult result = sim::simulate_round(job.context(), scheme, job.deadline);
    sim::Report report = report_round(job, scheme, result);
    const std::size_t operations = result.plan.schedule.operations.size();
    most_operations = std::max(most_operations, operations);
    const bool ranged = wants_range(options, operations);
    if (ranged) report.range = range_of(job, scheme);
    warn_of_sites(options, job, scheme);
    if (!options.baseline.empty()) {
      const sim::Scheme baseline = baseline_of(options.baseline, job, scheme);
      sim::Report reference = report_round(job, baseline);
      report.baseline = baseline.name;
      report.baseline_fits = reference.fits_memory;
      report.speedup = report.tokens_per_s / reference.tokens_per_s;
      if (job.schemes.size() == 1 && baseline.name != scheme.name) {
        if (ranged) reference.range = range_of(job, baseline);
        reports.push_back(std::move(reference));
      }
    }
    if (!options.perfetto.empty() && &scheme == &job.schemes.back()) {
      write_timeline(options, job, result);
    }
    reports.push_back(std::move(report));
  }
  note_left_out(options, most_operations);
  print(options, reports, answer(reports));
  return 0;
}

}  // namespace apps
