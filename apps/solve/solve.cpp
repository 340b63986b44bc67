// SPDX-License-Identifier: Apache-2.0
// solve: the inverse of run: the bandwidth that a utilisation takes, in one cluster or between sites;
// between sites the fewest inner steps, the longest latency, the most peers, the largest model.
#include <fmt/format.h>

#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/commands.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/progress.hpp"
#include "apps/solve/solve_answers.hpp"
#include "apps/solve/unknowns.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr double kUnlimited = 1e6;  // times as fast as the cluster's NICs

struct SolveOptions {
  JobOptions job;
  std::string unknown, beats, format;
  std::vector<double> shares;  // of --utilisation
};

constexpr const char* kUsage =
    "usage: gardenhose solve UNKNOWN --topology NAME --model NAME --scheme NAME [FLAGS]\n\n"
    "Finds, by repeated simulation, the value of one unknown at which training reaches a given\n"
    "utilisation, or at which one scheme stops beating another.\n\n"
    "Within one cluster (utilisation: speed relative to the speed with unlimited NICs):\n\n"
    "  bandwidth    lowest NIC bandwidth\n\n"
    "Between sites (utilisation: fraction of time during which the GPUs are computing):\n\n"
    "  bandwidth    lowest bandwidth between sites: all rates scale together; the lowest is "
    "reported\n"
    "  inner_steps  fewest inner steps per round\n"
    "  latency      highest one-way latency, the same on all paths\n"
    "  peers        largest number of sites (for files with a single [sites] table)\n"
    "  layers       largest number of layers; --model gives the model's other dimensions\n\n"
    "Each answer is computed three times: at the given compute efficiency, and at one standard\n"
    "deviation below and above it (met_at_low, met_at_high).\n\n"
    "  gardenhose solve bandwidth --topology dgx_h100_x128 --nodes 32 --model llama_3_70b --zero "
    "3\n"
    "  gardenhose solve bandwidth --topology two_sites_10g --model llama_2_7b --tp 8 \\\n"
    "                   --scheme diloco --utilisation 0.5,0.8,0.9,0.95,0.99\n"
    "  gardenhose solve latency --topology two_sites_10g --model llama_2_7b --tp 8 \\\n"
    "                   --scheme wan_sync --beats diloco\n";

std::vector<double> parse_shares(const std::string& text) {
  std::vector<double> shares;
  for (const std::string& part : split(text)) {
    double share = 0;
    const auto [stop, error] = std::from_chars(part.data(), part.data() + part.size(), share);
    if (error != std::errc() || stop != part.data() + part.size() || !(share > 0 && share < 1)) {
      throw InputError(
          fmt::format("--utilisation: '{}' is not between 0 and 1; write e.g. 0.5,0.8,0.95", part));
    }
    shares.push_back(share);
  }
  return shares;
}

std::optional<SolveOptions> parse(const Arguments& arguments) {
  SolveOptions o;
  std::string utilisation;
  po::options_description flags = job_flags(o.job);
  po::options_description goal("Goal");
  goal.add_options()("unknown", po::value(&o.unknown),
                     "bandwidth, inner_steps, latency, peers or layers")(
      "utilisation", po::value(&utilisation)->default_value("0.5,0.8,0.9,0.95,0.99"),
      "utilisations to reach, separated by commas")(
      "beats", po::value(&o.beats),
      "scheme to beat, instead of a utilisation to reach: find the value of the unknown at which "
      "--scheme becomes, or stops being, the faster of the two")(
      "format", po::value(&o.format)->default_value("table"), "table|json|csv");
  flags.add(goal);
  po::positional_options_description places;
  places.add("unknown", 1);
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, flags, places, values)) return std::nullopt;
  static_cast<void>(unknown_named(o.unknown));
  o.job.schemes = split(values["scheme"].as<std::string>());
  if (values["scheme"].defaulted() && is_wide_area(o.job.topology)) {
    throw InputError("--scheme: is missing; name the scheme between the sites");
  }
  check_format(o.format);
  if (!o.beats.empty() && !values["utilisation"].defaulted()) {
    throw InputError("--beats: replaces --utilisation; specify only one of them");
  }
  o.shares = parse_shares(utilisation);
  return o;
}

// Reports of the job at values of the unknown, each simulated once.
class Reports {
 public:
  Reports(const Job& job, const Unknown& unknown) : job_(job), unknown_(unknown) {}

  const sim::Report& at(std::size_t setup, double value) {
    const auto [found, added] = known_.try_emplace({setup, value});
    if (!added) return found->second;
    Job changed = job_;
    unknown_.set(changed, value);
    return found->second = simulate(changed, changed.setups[setup]).report;
  }
  double utilisation(std::size_t setup, double value) {
    const sim::Report& report = at(setup, value);
    if (unknown_.needs_memory && !report.fits_memory) return 0;
    return report.round ? report.round->utilisation : at(setup, kUnlimited).time_s / report.time_s;
  }
  bool is_faster(std::size_t setup, std::size_t other, double value) {
    return at(setup, value).tokens_per_s > at(other, value).tokens_per_s;
  }

 private:
  const Job& job_;
  const Unknown& unknown_;
  std::map<std::pair<std::size_t, double>, sim::Report> known_;
};

// Where both setups can be simulated.
Range range_of(const Job& job, const Unknown& unknown, std::size_t setup, std::size_t other) {
  Range range = unknown.range;
  if (unknown.narrow) unknown.narrow(job, job.setups[setup].scheme, range);
  if (unknown.narrow) unknown.narrow(job, job.setups[other].scheme, range);
  return range;
}

Answer answer_of(const Job& job, const Unknown& unknown, std::size_t setup, std::string goal,
                 const Found& found) {
  const double met = unknown.figure(job, found.met);
  const double missed = unknown.figure(job, found.missed);
  return {job.setups[setup].scheme.name,
          std::move(goal),
          found,
          met,
          missed,
          unknown.text(met),
          unknown.text(missed),
          unknown.needs_memory || fits_memory(job, job.setups[setup])};
}

std::vector<Answer> solve_utilisation(const Job& job, const Unknown& unknown,
                                      const std::vector<double>& shares, Progress& progress) {
  Reports reports(job, unknown);
  std::vector<Answer> answers;
  for (std::size_t setup = 0; setup < job.setups.size(); ++setup) {
    for (const double share : shares) {
      const Found found = bracket(
          range_of(job, unknown, setup, setup),
          [&](double value) { return reports.utilisation(setup, value) >= share; },
          [&] { progress.step(); });
      answers.push_back(
          answer_of(job, unknown, setup, fmt::format("utilisation {:.4g}", share), found));
    }
  }
  return answers;
}

// Of all setups but the last, which is the one to beat.
std::vector<Answer> solve_beats(const Job& job, const Unknown& unknown, const std::string& name,
                                Progress& progress) {
  Reports reports(job, unknown);
  const std::size_t other = job.setups.size() - 1;
  std::vector<Answer> answers;
  for (std::size_t setup = 0; setup < other; ++setup) {
    const Found found = bracket(
        range_of(job, unknown, setup, other),
        [&](double value) { return reports.is_faster(setup, other, value); },
        [&] { progress.step(); });
    answers.push_back(answer_of(job, unknown, setup, "beats " + name, found));
  }
  return answers;
}

const Unknown& unknown_of(const SolveOptions& options) {
  const Unknown& between_sites = unknown_named(options.unknown);
  if (is_wide_area(options.job.topology)) return between_sites;
  if (options.unknown == "bandwidth") return nic_bandwidth();
  throw InputError(fmt::format(
      "solve {}: applies to several sites, but {} is one cluster; solve for bandwidth instead",
      options.unknown, options.job.topology));
}

// Refuses all that can be refused before the first simulation. The setup of --beats is the last.
Job read(const SolveOptions& options, const Unknown& unknown) {
  Job job = read_job(options.job);
  if (!job.inner && job.cluster().nodes < 2) {
    throw InputError("--nodes: a single node has no network to solve for; use two or more");
  }
  if (!options.beats.empty()) {
    job.setups.push_back(
        job.setup_of(job.with_settings(scheme_of(options.beats, "--beats", job.kind()))));
  }
  check(job, job.setups);
  for (std::size_t setup = 0; setup < job.setups.size(); ++setup) {
    static_cast<void>(range_of(job, unknown, setup, job.setups.size() - 1));
  }
  return job;
}

}  // namespace

int solve_command(const Arguments& arguments) {
  const auto options = parse(arguments);
  if (!options) return 0;
  const Unknown& unknown = unknown_of(*options);
  const Job job = read(*options, unknown);
  const std::size_t searches =
      options->beats.empty() ? job.setups.size() * options->shares.size() : job.setups.size() - 1;
  Progress progress("solving",
                    kTimesAsked * static_cast<int>(searches) * most_tries(unknown.range));
  const auto solve = [&](const Job& one) {
    return options->beats.empty() ? solve_utilisation(one, unknown, options->shares, progress)
                                  : solve_beats(one, unknown, options->beats, progress);
  };
  print(options->format,
        {std::string(unknown.name), std::string(unknown.unit), job.topology.name, job.model.name},
        answers_of(job, solve));
  return 0;
}

}  // namespace apps
