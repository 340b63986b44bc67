// SPDX-License-Identifier: Apache-2.0
#include "apps/job/round_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/topology/topology.hpp"

namespace apps {
namespace {

using sim::InputError;

// Of one cluster or of several sites.
std::filesystem::path topology_file(const std::string& name) {
  for (const auto& file : shipped_files(Kind::wide_area)) {
    if (file.stem() == name) return file;
  }
  return data_file(Kind::topology, name);
}

void refuse_cluster_flags(const JobOptions& options) {
  if (options.nodes != 0 || options.gpus_per_node != 0) {
    throw InputError(fmt::format("{}: the sites of {} differ; write --set sites.NAME.nodes=N",
                                 options.nodes != 0 ? "--nodes" : "--gpus-per-node",
                                 options.topology));
  }
  if (options.step_by_step) {
    throw InputError("--step-by-step: applies to one cluster; run it on a single site's cluster");
  }
}

int replica_count(const sim::WideArea& area, const sim::Parallelism& parallelism) {
  int replicas = 0;
  for (const sim::Site& site : area.sites) {
    replicas += site.count * sim::data_parallel(site.cluster, parallelism);
  }
  return replicas;
}

// All are those that the sites can run. A setting may name a part that only some of the schemes
// have, but not one that none has.
void read_schemes(const JobOptions& options, RoundJob& job) {
  if (options.schemes == std::vector<std::string>{"all"}) {
    for (const sim::Scheme* scheme : sim::all_schemes(sim::SchemeKind::between_sites)) {
      if (sim::problem(job.context(), *scheme).empty()) job.schemes.push_back(*scheme);
    }
  } else {
    for (const std::string& name : options.schemes) {
      job.schemes.push_back(scheme_of(name, "--scheme", sim::SchemeKind::between_sites));
    }
  }
  for (const sim::Setting& setting : job.scheme_settings) {
    const bool taken =
        std::any_of(job.schemes.begin(), job.schemes.end(),
                    [&](const sim::Scheme& scheme) { return sim::takes(scheme, setting); });
    if (!taken) static_cast<void>(sim::with_settings(job.schemes.front(), {&setting, 1}));
  }
  for (sim::Scheme& scheme : job.schemes) {
    scheme = job.with_taken_settings(scheme);
    sim::check(job.context(), scheme);
  }
}

}  // namespace

bool is_wide_area(const std::string& name) {
  return sim::has_sites(sim::read_input_text(topology_file(name)));
}

sim::WideArea read_wide_area(const std::string& name, const std::vector<sim::Setting>& settings) {
  const std::filesystem::path file = topology_file(name);
  const auto cluster_file = [&](const std::string& cluster) {
    return cluster_of_site(file.parent_path(), cluster);
  };
  return sim::parse_wide_area(sim::read_input_text(file), file, cluster_file, settings);
}

RoundJob read_round_job(const JobOptions& options) {
  if (!is_wide_area(options.topology)) {
    throw InputError(fmt::format("--topology: {} is one cluster, not several sites; see list",
                                 options.topology));
  }
  refuse_cluster_flags(options);
  const SortedSettings settings = sort_settings(options);
  RoundJob job{.area = read_wide_area(options.topology, settings.topology),
               .model = read_model(options, settings),
               .parallelism = parallelism_of(options.parallelism),
               .inner = scheme_of(options.inner_scheme, "--inner-scheme", sim::SchemeKind::inside),
               .scheme_settings = settings.scheme};
  if (!options.parallelism.zero) job.parallelism.sharding.stage = job.inner.usual_stage();
  for (sim::Site& site : job.area.sites) {
    use_algorithm(options, site.cluster);
    job.calibrations.push_back(calibration_for(site.cluster.gpu, options.calibration));
    job.calibrations.back().codec_slowdown = options.codec_time;
    site.cluster.gpu = measured_gpu(site.cluster.gpu, job.calibrations.back(), {});
    site.cluster.default_efficiency =
        default_efficiency(site.cluster, job.calibrations.back(), job.parallelism);
    sim::check(site.cluster, job.model, job.parallelism);
  }
  job.parallelism.accumulation =
      accumulation_of(options.parallelism, replica_count(job.area, job.parallelism));
  for (const sim::Site& site : job.area.sites) {
    check_size(options, site.cluster, job.model, job.parallelism);
  }
  if (!options.deadline.empty()) {
    job.deadline = quantity_of<sim::Seconds>("--deadline", options.deadline, "60 s");
  }
  read_schemes(options, job);
  return job;
}

sim::Scheme RoundJob::with_taken_settings(const sim::Scheme& scheme) const {
  std::vector<sim::Setting> taken;
  for (const sim::Setting& setting : scheme_settings) {
    if (sim::takes(scheme, setting)) taken.push_back(setting);
  }
  return sim::with_settings(scheme, taken);
}

sim::Report report_round(const RoundJob& job, const sim::Scheme& scheme,
                         const sim::RoundResult& result) {
  sim::Report report = sim::summarize(job.context(), scheme, result);
  report.codec_error = sim::codec_errors(codec_error_file(), scheme);
  for (std::string& event : report.round->events) event = with_flags(event);
  return report;
}

sim::Report report_round(const RoundJob& job, const sim::Scheme& scheme) {
  return report_round(job, scheme, sim::simulate_round(job.context(), scheme, job.deadline));
}

}  // namespace apps
