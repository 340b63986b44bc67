// SPDX-License-Identifier: Apache-2.0
// Job: the input of simulations by `run` and related commands, from the command line, for one cluster
// and for several sites alike.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "apps/job/job_options.hpp"
#include "sim/rounds/site_work.hpp"

namespace apps {

// The most layers that memory and patience hold the simulation of; whether they hold the model.
[[nodiscard]] int most_layers(const sim::Cluster& cluster, const sim::Parallelism& parallelism);
[[nodiscard]] bool is_held(const sim::Cluster& cluster, const sim::Model& model,
                           const sim::Parallelism& parallelism);

// A scheme, and the parallelism that it is run with.
struct Setup {
  sim::Scheme scheme;
  sim::Parallelism parallelism;
};

// All data from files, ready to simulate.
struct Job {
  sim::WideArea topology;  // a cluster is its only site
  sim::Model model;
  std::vector<sim::Calibration> calibrations;  // by table of sites
  // Within each of several sites: the setups' schemes are for the exchange between them. None: a
  // job of one cluster.
  std::optional<sim::Scheme> inner;
  std::optional<sim::Seconds> deadline;  // of a round
  sim::Parallelism parallelism;          // as the flags say
  std::optional<int> zero;               // the stage of ZeRO, if a flag gives it
  OpenSoftware open;                     // the part that depends on the stage of ZeRO
  std::set<std::string> given;           // JobOptions::given
  std::optional<sim::Detail> detail;
  bool each_kernel = false;
  bool whole = false;  // StepContext::whole
  std::vector<Setup> setups;
  std::vector<sim::Setting> scheme_settings;

  [[nodiscard]] sim::SchemeKind kind() const {
    return inner ? sim::SchemeKind::between_sites : sim::SchemeKind::inside;
  }
  // Of one cluster.
  [[nodiscard]] const sim::Cluster& cluster() const { return topology.sites.front().cluster; }
  [[nodiscard]] sim::Cluster& cluster() { return topology.sites.front().cluster; }
  [[nodiscard]] const sim::Calibration& calibration() const { return calibrations.front(); }

  // At the stage of ZeRO given by the flags; else at the first stage of the scheme within a site,
  // or its substitute.
  [[nodiscard]] Setup setup_of(sim::Scheme scheme) const;
  // With scheme_settings: with all of them on one cluster, between sites with those that apply.
  [[nodiscard]] sim::Scheme with_settings(const sim::Scheme& scheme) const;
  [[nodiscard]] sim::StepContext context(const Setup& setup) const {
    return context(setup, cluster());
  }
  // On another cluster, which must outlive the result.
  [[nodiscard]] sim::StepContext context(const Setup& setup, const sim::Cluster& on) const {
    return {on, model, calibration(), setup.parallelism, detail, each_kernel, whole};
  }
  [[nodiscard]] sim::RoundContext round(const Setup& setup) const {
    return {topology, model, calibrations, setup.parallelism, *inner, whole};
  }
};

// Where tensor-parallel groups span nodes.
void warn_of_tensor_nodes(const sim::Cluster& cluster, const sim::Parallelism& parallelism);
// Reads the files and checks the flags. Throws InputError.
[[nodiscard]] Job read_job(const JobOptions& options);

// Throws an InputError with the reasons why setups cannot run, one per line. Call it for everything
// that a command simulates, before its first simulation.
void check(const Job& job, std::span<const Setup> setups);

}  // namespace apps
