// SPDX-License-Identifier: Apache-2.0
// run, where the topology is several sites: rounds of one scheme or of several side by side.
#include <algorithm>
#include <utility>

#include "apps/data_files.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/setup_options.hpp"
#include "apps/job/simulation.hpp"
#include "apps/progress.hpp"
#include "apps/run/answer.hpp"
#include "apps/run/run_options.hpp"
#include "apps/search/efficiency_range.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/report/writers.hpp"
#include "sim/rounds/round_report.hpp"

namespace apps {
namespace {

// The scheme that `name` means as the baseline of the setup's.
Setup baseline_of(const std::string& name, const Job& job, const Setup& setup) {
  if (name != "twin") {
    return job.setup_of(
        job.with_settings(scheme_of(name, "--baseline", sim::SchemeKind::between_sites)));
  }
  Setup twin{twin_of(setup.scheme), setup.parallelism};
  twin.scheme.between_sites->inner_steps = setup.scheme.between_sites->inner_steps;
  twin.scheme.between_sites->fragments = setup.scheme.between_sites->fragments;
  twin.scheme.between_sites->overlap_steps = setup.scheme.between_sites->overlap_steps;
  return twin;
}

void write_timeline(const RunOptions& options, const Job& job, const Simulation& result) {
  std::vector<std::string> names;
  for (int place = 0; place < sim::place_count(job.topology); ++place) {
    names.push_back(sim::place_name(job.topology, place));
  }
  sim::write_file(options.perfetto, sim::to_perfetto(result.schedule, result.timeline,
                                                     options.perfetto_ranks, names));
}

void warn_of_sites(const RunOptions& options, const Job& job, const Setup& setup) {
  const sim::RoundContext context = job.round(setup);
  for (std::size_t table = 0; table < job.topology.sites.size(); ++table) {
    warn_of_memory(options,
                   fmt::format("{} at {}", setup.scheme.name, job.topology.sites[table].name),
                   memory_of(job, setup, table), context.step(table), *job.inner);
  }
}

Simulation simulate_round(const Job& job, const Setup& setup) {
  Simulation result = simulate(job, setup);
  result.report.codec_error = sim::codec_errors(codec_error_file(), setup.scheme);
  return result;
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
Job read(const RunOptions& options) {
  refuse_step_flags(options);
  Job job = read_job(options.job);
  check(job, job.setups);
  for (const sim::Site& site : job.topology.sites) {
    warn_of_tensor_nodes(site.cluster, job.parallelism);
  }
  for (const Setup& setup : job.setups) {
    if (options.require_fit) warn_of_sites(options, job, setup);
    if (options.baseline.empty()) continue;
    const Setup baseline = baseline_of(options.baseline, job, setup);
    check(job, {&baseline, 1});
  }
  return job;
}

}  // namespace

void check_rounds(const RunOptions& options) { static_cast<void>(read(options)); }

int run_rounds(const RunOptions& options) {
  const Job job = read(options);
  warn_of_unknown_gpus(*job.inner, gpus_of(job.topology));
  std::vector<sim::Report> reports;
  std::size_t most_operations = 0;
  Progress progress("simulating schemes", static_cast<int>(job.setups.size()));
  for (const Setup& setup : job.setups) {
    warn_of_unknown_gpus(setup.scheme, gpus_of(job.topology));
    progress.step();
    Simulation result = simulate_round(job, setup);
    sim::Report& report = result.report;
    const std::size_t operations = result.schedule.operations.size();
    most_operations = std::max(most_operations, operations);
    const bool ranged = wants_range(options, operations);
    if (ranged) report.range = range_of(job, setup, report);
    warn_of_sites(options, job, setup);
    if (!options.baseline.empty()) {
      const Setup baseline = baseline_of(options.baseline, job, setup);
      sim::Report reference = simulate_round(job, baseline).report;
      report.baseline = baseline.scheme.name;
      report.baseline_fits = reference.fits_memory;
      report.speedup = report.tokens_per_s / reference.tokens_per_s;
      if (job.setups.size() == 1 && baseline.scheme.name != setup.scheme.name) {
        if (ranged) reference.range = range_of(job, baseline, reference);
        reports.push_back(std::move(reference));
      }
    }
    if (!options.perfetto.empty() && &setup == &job.setups.back()) {
      write_timeline(options, job, result);
    }
    reports.push_back(std::move(report));
  }
  note_left_out(options, most_operations);
  print(options, reports, answer(reports));
  return 0;
}

}  // namespace apps
