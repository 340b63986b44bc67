// SPDX-License-Identifier: Apache-2.0
#include "apps/job/read_job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/data_files.hpp"
#include "apps/job/calibration_files.hpp"
#include "apps/job/reliability_options.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/settings.hpp"
#include "apps/job/step_by_step.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/times/host_codecs.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/topology/topology.hpp"

namespace apps {
namespace {

using sim::InputError;

// Refuses simulations beyond the limits, and names the flag that made them so large.
void check_size(const JobOptions& options, const Job& job) {
  for (const sim::Site& site : job.topology.sites) {
    const sim::Parallelism p = job.parallelism_at(site);
    const auto which = job.whole || options.step_by_step ? sim::study::Simulated::whole
                                                         : sim::study::Simulated::alike_once;
    if (sim::study::is_held(site.cluster, job.model, p, which)) continue;
    const std::string flag =
        site.setup.accumulation ? fmt::format("--topology: sites.{}.accumulation", site.name)
        : options.parallelism.contains("global-batch")         ? "--global-batch"
        : options.parallelism.contains("accumulation")         ? "--accumulation"
        : options.nodes == 0 && sets(options, "cluster.nodes") ? "--set cluster.nodes"
                                                               : "--nodes";
    if (const int gpus = sim::rank_count(site.cluster); gpus > sim::study::kMostGpus) {
      throw InputError(
          fmt::format("{}: {} GPUs are more than a simulation can hold; keep them at or below {}",
                      flag, gpus, sim::study::kMostGpus));
    }
    throw InputError(fmt::format(
        "{}: {} simulated GPUs x {} layers x {} micro-batches are more than a simulation can hold; "
        "keep their product at or below {:.0f}",
        flag, sim::study::simulated_gpus(site.cluster, p, which),
        (job.model.layers - 1) / p.pipeline + 1, p.accumulation, sim::study::kMostLayers));
  }
}

void read_listed(const JobOptions& options, Job& job) {
  for (const sim::ParallelismField& row : sim::parallelism_fields()) {
    const auto listed = options.listed.find(std::string(row.name));
    if (listed == options.listed.end()) continue;
    job.given.erase(listed->first);
    for (const std::string& text : listed->second) {
      row.read(row, text, job.listed[listed->first].emplace_back());
    }
  }
}

int replica_count(const Job& job) {
  int replicas = 0;
  for (const sim::Site& site : job.topology.sites) {
    replicas += site.count * sim::replicas(site.cluster, job.parallelism_at(site));
  }
  return replicas;
}

// A number of sequences for all sites leaves none of them one of its own.
void check_global_batch(const JobOptions& options, const Job& job) {
  if (!options.parallelism.contains("global-batch")) return;
  for (const sim::Site& site : job.topology.sites) {
    if (!site.setup.micro_batch && !site.setup.accumulation) continue;
    throw InputError(fmt::format(
        "--global-batch: site {} has its own {}; write --micro-batch and --accumulation instead",
        site.name, site.setup.micro_batch ? "micro_batch" : "accumulation"));
  }
}

// Of what ships, `all` is what the job can run: within a cluster what is defined for the stage that
// a flag says.
bool can_run(const Job& job, const sim::Scheme& scheme) {
  if (job.inner) return sim::problem(job.round(job.setup_of(scheme)), scheme).empty();
  return !job.zero || scheme.is_defined_for(*job.zero);
}

// A stage of ZeRO that the stack brings, as nobody asked for one, is no stage to blame.
void check_stage_of_stack(const JobOptions& options, const sim::Scheme& scheme) {
  const auto stage = sim::stage_of(options.parallelism);
  if (options.parallelism.contains("zero") || !stage || scheme.is_defined_for(*stage)) return;
  const std::string others = sim::joined(scheme.zero, " or ");
  const auto schemes = sim::all_schemes(scheme.kind());
  const auto defined = std::ranges::find_if(
      schemes, [&](const sim::Scheme* one) { return one->is_defined_for(*stage); });
  throw InputError(fmt::format(
      "--stack: {} runs ZeRO-{} unless --zero says otherwise, but {} is defined for {}; add "
      "--zero {}, or choose another --stack or a scheme such as {}",
      options.parallelism.at("stack"), *stage, scheme.name, others, others, (*defined)->name));
}

std::vector<sim::Scheme> schemes_of(const JobOptions& options, const Job& job) {
  std::vector<sim::Scheme> schemes;
  if (options.schemes != std::vector<std::string>{"all"}) {
    for (const std::string& name : options.schemes) {
      schemes.push_back(scheme_of(name, "--scheme", job.kind()));
      if (!job.inner) check_stage_of_stack(options, schemes.back());
    }
    return schemes;
  }
  for (const sim::Scheme* scheme : sim::all_schemes(job.kind())) {
    if (can_run(job, *scheme)) schemes.push_back(*scheme);
  }
  return schemes;
}

// Between sites a setting may name a part that only some of the schemes have, but not one that none
// has.
void read_setups(const JobOptions& options, Job& job) {
  const std::vector<sim::Scheme> schemes = schemes_of(options, job);
  for (const sim::Setting& setting : job.scheme_settings) {
    if (!job.inner) break;
    const bool taken = std::ranges::any_of(
        schemes, [&](const sim::Scheme& scheme) { return sim::takes(scheme, setting); });
    if (!taken) static_cast<void>(sim::with_settings(schemes.front(), {&setting, 1}));
  }
  for (const sim::Scheme& scheme : schemes) {
    job.setups.push_back(job.setup_of(job.with_settings(scheme)));
  }
}

sim::Hosts hosts_of(const JobOptions& options) {
  sim::Hosts hosts = sim::read_hosts(host_file());
  std::string_view text = options.host_issue;
  if (text.empty()) return hosts;
  if (text.ends_with('x')) {
    text.remove_suffix(1);
    const auto factor = sim::parse_number(text).value;
    if (!factor || !(*factor > 0 && *factor <= 1e6)) {
      throw InputError(
          fmt::format("--host-issue: '{}' is not a factor above 0, at most 1e6; write e.g. 1.5x",
                      sim::printable(options.host_issue)));
    }
    hosts.slowdown = *factor;
    return hosts;
  }
  return with_issue_time(std::move(hosts),
                         quantity_of<sim::Seconds>("--host-issue", options.host_issue, "8 us"));
}

// Nothing if GPUs encode.
std::optional<sim::Calibration> host_codecs_of(const JobOptions& options) {
  if (options.host_codecs.empty()) return std::nullopt;
  return sim::read_host_codecs(data_file(Kind::host_codecs, options.host_codecs));
}

// Of each site's GPU, whose values follow its table.
void read_calibrations(const JobOptions& options, const SortedSettings& settings, Job& job) {
  const sim::EfficiencyTable efficiencies = sim::read_efficiencies(efficiency_file());
  const sim::Hosts hosts = hosts_of(options);
  const auto host_codecs = host_codecs_of(options);
  for (sim::Site& site : job.topology.sites) {
    const sim::Gpu sheet = site.cluster.gpu;
    sim::Calibration table = calibration_for(site.cluster.gpu, options.calibration);
    table.codec_slowdown = options.codec_time;
    table.hosts =
        options.host_issue.empty() ? with_fitted_slowdown(hosts, site.cluster.fitted) : hosts;
    if (host_codecs) {
      table.host_codecs =
          std::make_shared<const sim::Calibration>(with_cores(*host_codecs, site.cluster));
      table.hosts_encode_steps = !job.inner;
    }
    sim::study::calibrate(site.cluster, table, efficiencies, job.parallelism);
    keep_given(sheet, settings.topology, site.cluster.gpu);
    const std::string lines = sim::problems(site.cluster, job.model, job.parallelism_at(site));
    if (!lines.empty()) throw InputError(sim::problems_by_own_keys(site, lines));
    job.calibrations.push_back(std::move(table));
  }
}

void use_step_by_step(Job& job) {
  job.detail = sim::Detail::folded;
  for (const Setup& setup : job.setups) {
    check_step_by_step(sim::plan_step(job.context(setup), setup.scheme).schedule.unfolded_flows);
  }
  job.detail = sim::Detail::step_by_step;
}

}  // namespace

void warn_of_tensor_nodes(const sim::Cluster& cluster, const sim::Parallelism& parallelism) {
  const int nodes = tensor_nodes(cluster, parallelism);
  if (nodes == 1) return;
  print_note(
      "warning: --tp: groups of {} tensor-parallel GPUs span {} nodes, so activations cross the "
      "network after each block of a layer\n",
      parallelism.tensor, nodes);
}

Job read_job(const JobOptions& options) {
  const SortedSettings settings = sort_settings(options);
  Job job{.topology = read_topology(options, settings),
          .model = sim::read_model(data_file(Kind::model, options.model), settings.model)};
  job.parallelism = sim::parallelism_of(options.parallelism);
  job.zero = sim::stage_of(options.parallelism);
  job.open = sim::open_software(options.parallelism);
  job.given = options.given;
  read_listed(options, job);
  job.each_kernel = options.each_kernel;
  job.whole = options.whole;
  job.scheme_settings = settings.scheme;
  if (is_wide_area(options.topology)) {
    job.inner = scheme_of(options.inner_scheme, "--inner-scheme", sim::SchemeKind::inside);
    check_stage_of_stack(options, *job.inner);
    job.parallelism = job.setup_of(*job.inner).parallelism;
  }
  read_reliability(options, settings, job);
  read_calibrations(options, settings, job);
  check_global_batch(options, job);
  job.parallelism.accumulation =
      sim::accumulation_of(options.parallelism, job.parallelism, replica_count(job));
  check_size(options, job);
  job.balance = sim::chosen("--balance", options.balance, sim::kBalances);
  if (!options.deadline.empty()) {
    job.deadline = quantity_of<sim::Seconds>("--deadline", options.deadline, "60 s");
  }
  read_setups(options, job);
  if (options.step_by_step) use_step_by_step(job);
  return job;
}

}  // namespace apps
