// SPDX-License-Identifier: Apache-2.0
// Job: the input of a study, for one cluster and for several sites alike.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/base/setting.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/reliability/reliability.hpp"
#include "sim/rounds/balance.hpp"
#include "sim/rounds/inner_steps.hpp"
#include "sim/topology/compute_efficiency.hpp"
#include "sim/workload/stacks.hpp"

namespace sim::study {

// Layers of all micro-batches and simulated GPUs: planned, some 400 B each.
inline constexpr double kMostLayers = 1 << 24;
// GPUs of a job, whose groups and links are all looked at.
inline constexpr int kMostGpus = 1 << 20;
// GPUs that are simulated at most: where some stand for others, those of one replica, on each kind of
// node, do so for all.
enum class Simulated { alike_once, whole };
[[nodiscard]] int simulated_gpus(const Cluster& cluster, const Parallelism& parallelism,
                                 Simulated which = Simulated::alike_once);
// The most layers that memory and patience hold the simulation of; whether they hold the model.
[[nodiscard]] int most_layers(const Cluster& cluster, const Parallelism& parallelism,
                              Simulated which = Simulated::alike_once);
[[nodiscard]] bool is_held(const Cluster& cluster, const Model& model,
                           const Parallelism& parallelism, Simulated which = Simulated::alike_once);

// A scheme, and the parallelism that it is run with.
struct Setup {
  Scheme scheme;
  Parallelism parallelism;
  // By table of sites, instead of the topology's: where the work has been divided (balanced()).
  std::vector<SiteSetup> sites = {};
};

// All data from files, ready to simulate.
struct Job {
  WideArea topology;  // a cluster is its only site
  Model model;
  std::vector<Calibration> calibrations;  // by table of sites
  // Within each of several sites: the setups' schemes are for the exchange between them. None: a
  // job of one cluster.
  std::optional<Scheme> inner;
  std::optional<Seconds> deadline;  // of a round
  Balance balance = Balance::none;  // of unlike sites
  Parallelism parallelism;          // as given
  std::optional<int> zero;          // the stage of ZeRO, if given
  OpenSoftware open;                // the part that depends on the stage of ZeRO
  std::set<std::string> given;      // names of the given fields, which a search leaves alone
  // Fields of which a plan tries these values alone, each read into a struct of its own.
  std::map<std::string, std::vector<Parallelism>, std::less<>> listed = {};
  std::optional<Detail> detail;
  bool each_kernel = false;
  bool whole = false;             // StepContext::whole
  bool each_micro_batch = false;  // StepContext::each_micro_batch
  std::vector<Setup> setups;
  std::vector<Setting> scheme_settings;
  // Of one cluster, where goodput is asked for, and the tokens to train then.
  std::optional<Reliability> reliability = {};
  std::optional<double> target_tokens = {};
  // Of several sites, also of what is copied from this job.
  std::shared_ptr<InnerSteps> inner_steps = std::make_shared<InnerSteps>();
  std::shared_ptr<KnownGroups> groups = no_groups_yet();

  [[nodiscard]] SchemeKind kind() const {
    return inner ? SchemeKind::between_sites : SchemeKind::inside;
  }
  // Of one cluster.
  [[nodiscard]] const Cluster& cluster() const { return topology.sites.front().cluster; }
  [[nodiscard]] Cluster& cluster() { return topology.sites.front().cluster; }
  [[nodiscard]] const Calibration& calibration() const { return calibrations.front(); }
  [[nodiscard]] Calibration& calibration() { return calibrations.front(); }

  // At the given stage of ZeRO; else at the first stage of the scheme within a site,
  // or its substitute. With the optimizer that a scheme between sites is defined with, unless one is
  // given.
  [[nodiscard]] Setup setup_of(Scheme scheme) const;
  // With scheme_settings: with all of them on one cluster, between sites with those that apply.
  [[nodiscard]] Scheme with_settings(const Scheme& scheme) const;
  // Inside a site, where it may have keys of its own.
  [[nodiscard]] Parallelism parallelism_at(const Site& site) const {
    return inner ? inside_of(site, {*inner, parallelism}).parallelism : parallelism;
  }
  [[nodiscard]] StepContext context(const Setup& setup) const { return context(setup, cluster()); }
  // On another cluster, which must outlive the result.
  [[nodiscard]] StepContext context(const Setup& setup, const Cluster& on) const {
    return {on,          model, calibration(),    setup.parallelism, detail,
            each_kernel, whole, each_micro_batch, groups.get()};
  }
  [[nodiscard]] RoundContext round(const Setup& setup) const {
    return {topology, model, calibrations,      setup.parallelism,
            *inner,   whole, inner_steps.get(), setup.sites};
  }
};

// Sequences of a step, at all sites.
[[nodiscard]] std::int64_t global_batch(const Job& job, const Setup& setup);
// Of several sites, with these numbers of them per table (as with_counts() of a WideArea).
[[nodiscard]] Job with_counts(Job job, std::span<const int> counts);
// With the work of unlike sites divided as the job wants it, unless it is already: what is simulated
// with other constants keeps the division. Simulates inner steps.
[[nodiscard]] Setup balanced(const Job& job, Setup setup);
// A cluster as the only site.
[[nodiscard]] WideArea area_of(Cluster cluster);
// The GPU's values follow the table. Without measured matrix products the compute efficiency is that
// of the GPU's generation, unless one is fitted or given; where published products are extrapolated to the
// GPU, it is as uncertain as they are, too. A table that does not give its GPU's memory bandwidth was
// measured at the cluster's.
void calibrate(Cluster& cluster, Calibration& table, const EfficiencyTable& efficiencies,
               const Parallelism& parallelism);
// Of one calibrated cluster, without setups.
[[nodiscard]] Job job_of(Cluster cluster, Model model, Calibration calibration,
                         const EfficiencyTable& efficiencies);

// Throws an InputError with the reasons why setups cannot run, one per line. Call it for everything
// that is simulated, before the first simulation.
void check(const Job& job, std::span<const Setup> setups);

}  // namespace sim::study
