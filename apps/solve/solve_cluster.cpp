// SPDX-License-Identifier: Apache-2.0
// solve on one cluster: the NIC bandwidth at which a step has a share of the speed that it has where
// NICs are no limit, or at which one scheme stops to beat another.
#include <fmt/format.h>

#include "apps/job/scheme_files.hpp"
#include "apps/job/setup_options.hpp"
#include "apps/progress.hpp"
#include "apps/search/nic_bandwidth.hpp"
#include "apps/search/step_times.hpp"
#include "apps/solve/solve_answers.hpp"
#include "apps/solve/solve_options.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

using sim::InputError;

constexpr double kUnlimited = 1e6;

Answer answer_of(const Job& job, const Setup& setup, std::string goal, const Found& found) {
  const auto gigabits = [&](double factor) {
    return (job.cluster().network.nic_bandwidth * factor).base() * 8 / 1e9;
  };
  const double met = gigabits(found.met);
  const double missed = gigabits(found.missed);
  return {setup.scheme.name,
          std::move(goal),
          found,
          met,
          missed,
          fmt::format("{:.4g} Gbps", met),
          fmt::format("{:.4g} Gbps", missed),
          fits_memory(job, setup)};
}

// What --beats names.
Setup other_setup(const Job& job, const std::string& name) {
  return job.setup_of(job.with_settings(scheme_of(name, "--beats", sim::SchemeKind::inside)));
}

std::vector<Answer> solve_utilisation(const Job& job, const std::vector<double>& shares,
                                      Progress& progress) {
  StepTimes times(job);
  std::vector<Answer> answers;
  for (const Setup& setup : job.setups) {
    const double unlimited = times.seconds(setup, kUnlimited);
    for (const double share : shares) {
      const auto met = [&](double factor) {
        return unlimited / times.seconds(setup, factor) >= share;
      };
      answers.push_back(answer_of(job, setup, fmt::format("utilisation {:.4g}", share),
                                  bracket(kNicFactors, met, [&] { progress.step(); })));
    }
  }
  return answers;
}

std::vector<Answer> solve_beats(const Job& job, const std::string& name, Progress& progress) {
  const Setup other = other_setup(job, name);
  StepTimes times(job);
  std::vector<Answer> answers;
  for (const Setup& setup : job.setups) {
    const auto met = [&](double factor) {
      return times.seconds(setup, factor) < times.seconds(other, factor);
    };
    answers.push_back(answer_of(job, setup, "beats " + name,
                                bracket(kNicFactors, met, [&] { progress.step(); })));
  }
  return answers;
}

}  // namespace

int solve_cluster(const SolveOptions& options) {
  if (options.unknown != "bandwidth") {
    throw InputError(fmt::format(
        "solve {}: applies to several sites, but {} is one cluster; solve for bandwidth instead",
        options.unknown, options.job.topology));
  }
  const Job job = read_job(options.job);
  if (job.cluster().nodes < 2) {
    throw InputError("--nodes: a single node has no network to solve for; use two or more");
  }
  std::vector<Setup> all = job.setups;
  if (!options.beats.empty()) all.push_back(other_setup(job, options.beats));
  check(job, all);
  const std::size_t searches = options.beats.empty() ? options.shares.size() : 1;
  Progress progress("solving", kTimesAsked * static_cast<int>(job.setups.size() * searches) *
                                   most_tries(kNicFactors));
  const auto solve = [&](const Job& one) {
    return options.beats.empty() ? solve_utilisation(one, options.shares, progress)
                                 : solve_beats(one, options.beats, progress);
  };
  print(options.format, {"bandwidth", "Gbps per NIC", job.cluster().name, job.model.name},
        answers_of(job, solve));
  return 0;
}

}  // namespace apps
