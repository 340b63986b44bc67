// SPDX-License-Identifier: Apache-2.0
// Job: the input of simulations by `run` and related commands, from the command line: flags shared
// by several subcommands, and their conversion to the inputs of plan_step().
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "apps/job/parallelism_options.hpp"
#include "sim/rounds/site_work.hpp"

namespace apps {

// The flags as given.
struct JobOptions {
  std::string topology, model, calibration = "auto";
  double codec_time = 1;
  std::vector<std::string> schemes;
  int nodes = 0, gpus_per_node = 0;  // 0: the cluster's
  ParallelismOptions parallelism;
  int sequence = 0;
  std::string algorithm;  // of all_reduce; empty: the cluster's
  bool step_by_step = false, each_kernel = false;
  // For several sites. No deadline if it is empty.
  std::string inner_scheme = "sharded", deadline;
  std::vector<std::string> settings;  // KEY=VALUE
  std::set<std::string> given;        // names of the given flags, which a search leaves alone
};

// Settings by target file, from their tables: those of neither the model nor the scheme are the
// topology's.
struct SortedSettings {
  std::vector<sim::Setting> topology, model, scheme;
};
[[nodiscard]] SortedSettings sort_settings(const JobOptions& options);
inline constexpr const char* kAlgorithmHelp =
    "algorithm of all_reduce: ring, or tree for NCCL's double binary tree (default: the "
    "topology's collectives.algorithm)";
[[nodiscard]] sim::Model read_model(const JobOptions& options, const SortedSettings& settings);
// The most layers that memory and patience hold the simulation of; whether they hold the model.
[[nodiscard]] int most_layers(const sim::Cluster& cluster, const sim::Parallelism& parallelism);
[[nodiscard]] bool is_held(const sim::Cluster& cluster, const sim::Model& model,
                           const sim::Parallelism& parallelism);
// Refuses simulations beyond the limits, and names the flag that made them so large.
void check_size(const JobOptions& options, const sim::Cluster& cluster, const sim::Model& model,
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
    return {on, model, calibration(), setup.parallelism, detail, each_kernel};
  }
  [[nodiscard]] sim::RoundContext round(const Setup& setup) const {
    return {topology, model, calibrations, setup.parallelism, *inner};
  }
};

// Differences between the flags of a searching command and those of run, which has the flags for
// several sites too.
struct SearchFlags {
  ChosenFlags chosen = {};       // marked in their help; including --scheme
  std::string* sizes = nullptr;  // --nodes is a list of cluster sizes, parsed by the caller
};
[[nodiscard]] boost::program_options::options_description job_flags(JobOptions& options,
                                                                    const SearchFlags& search = {});
// The names of the flags in `flags` that were given.
[[nodiscard]] std::set<std::string> names_given(
    const boost::program_options::options_description& flags,
    const boost::program_options::variables_map& values);
// Where tensor-parallel groups span nodes.
void warn_of_tensor_nodes(const sim::Cluster& cluster, const sim::Parallelism& parallelism);
// Reads the files and checks the flags. Throws InputError.
[[nodiscard]] Job read_job(const JobOptions& options);

// Throws an InputError with the reasons why setups cannot run, one per line. Call it for everything
// that a command simulates, before its first simulation.
void check(const Job& job, std::span<const Setup> setups);

// The table for a GPU: one of that GPU (measured before published), else a measured one of another
// GPU, else the roofline. `name` is "auto", "roofline", a shipped name or a file.
[[nodiscard]] sim::Calibration calibration_for(const sim::Gpu& gpu, const std::string& name);
// The default compute efficiency for a cluster without measured matrix products; it applies unless
// one is fitted or given.
[[nodiscard]] std::optional<sim::EfficiencyDefault> default_efficiency(
    const sim::Cluster& cluster, const sim::Calibration& calibration,
    const sim::Parallelism& parallelism);
// The GPU with values from a measured table, except those given by --set.
[[nodiscard]] sim::Gpu measured_gpu(const sim::Gpu& sheet, const sim::Calibration& calibration,
                                    const std::vector<sim::Setting>& settings);

}  // namespace apps
