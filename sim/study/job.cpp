// SPDX-License-Identifier: Apache-2.0
#include "sim/study/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/times/published.hpp"
#include "sim/topology/fabrics.hpp"
#include "sim/topology/topology.hpp"

namespace sim::study {

namespace {

// Of a replica's ranks, on nodes at other places in their nodes and units: shipped fabrics have fewer.
constexpr int kMostKinds = 64;

// Whether replicas may differ only in their places in equal units, as hashes, other jobs and rings of
// routers tell all of them apart.
bool has_alike_replicas(const Cluster& cluster) {
  const Network& network = cluster.network;
  return network.fabric->tapered_units != nullptr && network.load_balance != LoadBalance::ecmp &&
         cluster.traffic.empty() && cluster.placement.kind == NodePlacement::Kind::packed;
}

}  // namespace

int simulated_gpus(const Cluster& cluster, const Parallelism& parallelism, Simulated which) {
  const int gpus = rank_count(cluster);
  if (which == Simulated::whole || !has_alike_replicas(cluster)) return gpus;
  return std::min(gpus, gpus / replicas(cluster, parallelism) * kMostKinds);
}

int most_layers(const Cluster& cluster, const Parallelism& parallelism, Simulated which) {
  if (rank_count(cluster) > kMostGpus) return 0;
  const double of_each =
      double{1} * parallelism.accumulation * simulated_gpus(cluster, parallelism, which);
  return static_cast<int>(kMostLayers / of_each) * parallelism.pipeline;
}

bool is_held(const Cluster& cluster, const Model& model, const Parallelism& parallelism,
             Simulated which) {
  return model.layers <= most_layers(cluster, parallelism, which);
}

Setup Job::setup_of(Scheme scheme) const {
  Setup setup{std::move(scheme), parallelism};
  if (!zero) setup.parallelism.sharding.stage = (inner ? *inner : setup.scheme).usual_stage();
  const auto& between = setup.scheme.between_sites;
  if (between && between->optimizer && !given.contains("optimizer")) {
    setup.parallelism.optimizer = *between->optimizer;
  }
  return setup;
}

Scheme Job::with_settings(const Scheme& scheme) const {
  std::vector<Setting> taken;
  for (const Setting& setting : scheme_settings) {
    if (!inner || takes(scheme, setting)) taken.push_back(setting);
  }
  return sim::with_settings(scheme, taken);
}

Job with_counts(Job job, std::span<const int> counts) {
  job.topology = with_counts(std::move(job.topology), counts);
  std::vector<Calibration> calibrations;
  for (std::size_t table = 0; table < counts.size(); ++table) {
    if (counts[table] > 0) calibrations.push_back(std::move(job.calibrations[table]));
  }
  job.calibrations = std::move(calibrations);
  return job;
}

std::int64_t global_batch(const Job& job, const Setup& setup) {
  return job.inner ? sim::global_batch(job.round(setup))
                   : sim::global_batch(job.cluster(), setup.parallelism);
}

Setup balanced(const Job& job, Setup setup) {
  if (job.balance == Balance::none || !setup.sites.empty()) return setup;
  setup.sites = balanced_setups(job.round(setup), setup.scheme, job.balance);
  return setup;
}

WideArea area_of(Cluster cluster) {
  WideArea area{.name = cluster.name};
  area.sites.push_back({.name = area.name, .cluster = std::move(cluster)});
  return area;
}

void calibrate(Cluster& cluster, Calibration& table, const EfficiencyTable& efficiencies,
               const Parallelism& parallelism) {
  cluster.gpu = as_measured(cluster.gpu, table);
  if (table.gpu == cluster.gpu.name && table.memory_bandwidth <= Bandwidth{}) {
    table.memory_bandwidth = cluster.gpu.memory_bandwidth;
  }
  cluster.default_efficiency = default_efficiency(
      efficiencies, cluster.gpu.name,
      {.bits = product_bits(parallelism.matrices), .published = table.published != nullptr});
  if (table.published == nullptr) return;
  if (parallelism.power_throttling && table.published->power) {
    table.product_rate = fastest_rate(*table.published->power, cluster.gpu);
  }
  const PublishedProducts& products = table.published->products;
  EfficiencyDefault& usual = *cluster.default_efficiency;
  if (table.published->same) {
    usual.spread = std::hypot(usual.spread, products.scatter);
    return;
  }
  // Published runs were on GPUs whose products were timed.
  usual.spread = std::hypot(usual.spread, products.spread);
  usual.source += "; its products are extrapolated";
}

Job job_of(Cluster cluster, Model model, Calibration calibration,
           const EfficiencyTable& efficiencies) {
  Job job;
  calibrate(cluster, calibration, efficiencies, job.parallelism);
  check(cluster, model, job.parallelism);
  job.topology = area_of(std::move(cluster));
  job.model = std::move(model);
  job.calibrations.push_back(std::move(calibration));
  return job;
}

namespace {

// As with settings of schemes, some may have no use for steps of a round, but not all.
void check_rounds(const Job& job, std::span<const Setup> setups) {
  const auto has_rounds = [](const Setup& setup) { return !setup.scheme.between_sites->gradients; };
  if (setups.empty() || std::ranges::any_of(setups, has_rounds)) return;
  if (job.balance == Balance::steps) {
    throw InputError(
        fmt::format("`balance`: {} exchanges gradients in every step, and has no steps to divide; "
                    "write batch",
                    setups.front().scheme.name));
  }
  for (const Site& site : job.topology.sites) {
    if (!site.setup.inner_steps) continue;
    throw InputError(fmt::format(
        "`topology`: sites.{}.inner_steps: {} exchanges gradients in every step; remove it",
        site.name, setups.front().scheme.name));
  }
}

}  // namespace

void check(const Job& job, std::span<const Setup> setups) {
  if (job.inner) {
    check_rounds(job, setups);
    for (const Setup& setup : setups) sim::check(job.round(setup), setup.scheme);
    return;
  }
  std::vector<std::string> lines;
  for (const Setup& setup : setups) {
    std::istringstream problems(sim::problems(job.context(setup), setup.scheme));
    for (std::string line; std::getline(problems, line);) {
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(line);
    }
  }
  if (!lines.empty()) throw InputError(joined(lines, "\n"));
}

}  // namespace sim::study
