// Job: what `run` and its siblings simulate, from the command line. Flags that several subcommands
// share, and how they become the inputs of plan_step().
#pragma once

#include <boost/program_options.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "apps/job/parallelism_options.hpp"
#include "sim/schemes/plan_step.hpp"

namespace apps {

// The flags as given.
struct JobOptions {
  std::string topology, model, calibration = "auto";
  double codec_time = 1;
  std::vector<std::string> schemes;
  int nodes = 0, gpus_per_node = 0;  // 0: all of the cluster's
  ParallelismOptions parallelism;
  int sequence = 0;
  bool step_by_step = false, each_kernel = false;
  std::vector<std::string> settings;  // KEY=VALUE
  std::set<std::string> given;        // names of the flags that are: a search leaves them alone
};

// Settings by the file that their table belongs to; what is neither the model's nor the scheme's is
// the topology's.
struct SortedSettings {
  std::vector<sim::Setting> topology, model, scheme;
};
[[nodiscard]] SortedSettings sort_settings(const JobOptions& options);
// The topology's first nodes, and of each its first GPUs, as the flags say.
[[nodiscard]] sim::Cluster read_cluster_part(const JobOptions& options,
                                             const SortedSettings& settings);
[[nodiscard]] sim::Model read_model(const JobOptions& options, const SortedSettings& settings);
// Whether memory and patience hold the simulation.
[[nodiscard]] bool is_held(const sim::Cluster& cluster, const sim::Model& model,
                           const sim::Parallelism& parallelism);
// Refuses what they do not, and says which flag made it so large.
void check_size(const JobOptions& options, const sim::Cluster& cluster, const sim::Model& model,
                const sim::Parallelism& parallelism);

// A scheme, and the parallelism that it is run with.
struct Setup {
  sim::Scheme scheme;
  sim::Parallelism parallelism;
};

// Everything that is read from files, ready to simulate.
struct Job {
  sim::Cluster cluster;
  sim::Model model;
  sim::Calibration calibration;
  sim::Parallelism parallelism;  // as the flags say
  std::optional<int> zero;       // the stage of ZeRO, where a flag says it
  OpenSoftware open;             // what another stage changes
  std::set<std::string> given;   // JobOptions::given
  std::optional<sim::Detail> detail;
  bool each_kernel = false;
  std::vector<Setup> setups;
  std::vector<sim::Setting> scheme_settings;

  // At the stage of ZeRO that the flags say; else at the first one, or what the scheme has instead.
  [[nodiscard]] Setup setup_of(sim::Scheme scheme) const;
  [[nodiscard]] sim::StepContext context(const Setup& setup) const {
    return context(setup, cluster);
  }
  // On another cluster, which has to outlive what is returned.
  [[nodiscard]] sim::StepContext context(const Setup& setup, const sim::Cluster& on) const {
    return {on, model, calibration, setup.parallelism, detail, each_kernel};
  }
};

// How flags of a command that searches differ from those of run.
struct SearchFlags {
  ChosenFlags chosen = {};       // their help says so; --scheme's among them
  std::string* sizes = nullptr;  // --nodes is a list of cluster sizes, that the caller parses
};
[[nodiscard]] boost::program_options::options_description job_flags(JobOptions& options,
                                                                    const SearchFlags& search = {});
// The names of the flags of `flags` that were written.
[[nodiscard]] std::set<std::string> names_given(
    const boost::program_options::options_description& flags,
    const boost::program_options::variables_map& values);
// Reads the files and checks the flags. Throws InputError.
[[nodiscard]] Job read_job(const JobOptions& options);

// Throws InputError with what keeps the setups from being run, a line each. Of all that a command
// simulates, before it simulates the first.
void check(const Job& job, std::span<const Setup> setups);

// The table for a GPU: of that GPU (measured before published), else a measured one of another GPU,
// else the roofline. `name` is "auto", "roofline", a shipped name or a file.
[[nodiscard]] sim::Calibration calibration_for(const sim::Gpu& gpu, const std::string& name);
// The default of the compute efficiency for a cluster whose matrix products nobody measured; it holds
// where none is fitted or given.
[[nodiscard]] std::optional<sim::EfficiencyDefault> default_efficiency(
    const sim::Cluster& cluster, const sim::Calibration& calibration,
    const sim::Parallelism& parallelism);
// The GPU with what a measured table says of it, but for what --set says.
[[nodiscard]] sim::Gpu measured_gpu(const sim::Gpu& sheet, const sim::Calibration& calibration,
                                    const std::vector<sim::Setting>& settings);

}  // namespace apps
