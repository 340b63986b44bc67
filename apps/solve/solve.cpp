// SPDX-License-Identifier: Apache-2.0
// solve: the inverse of run: the bandwidth that a utilisation takes, in one cluster or between sites;
// between sites the fewest inner steps, the longest latency, the most peers, the size of a model, the best
// quorum or deadline.
#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "apps/arguments.hpp"
#include "apps/commands.hpp"
#include "apps/flag.hpp"
#include "apps/flag_values.hpp"
#include "apps/job/asked_warnings.hpp"
#include "apps/job/read_job.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/launch/from_file.hpp"
#include "apps/progress.hpp"
#include "apps/solve/solve_answers.hpp"
#include "sim/base/error.hpp"
#include "sim/base/number_text.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

struct SolveOptions {
  JobOptions job;
  std::string unknown, format;
  sim::study::SolveGoal goal;
  int jobs = 1;
};

constexpr const char* kSolveUsage =
    "usage: gardenhose solve UNKNOWN --topology NAME --model NAME --scheme NAME [FLAGS]\n\n"
    "Finds, by repeated simulation, the value of one unknown at which training reaches a given\n"
    "utilisation, so many tokens a day or a price, at which one scheme stops beating another, or\n"
    "the best value.\n\n"
    "Within one cluster (utilisation: speed relative to the speed with unlimited NICs):\n\n"
    "  bandwidth    lowest NIC bandwidth\n\n"
    "Between sites (utilisation: fraction of time during which the GPUs are computing):\n\n"
    "  bandwidth    lowest bandwidth between sites: all rates scale together; the lowest is "
    "reported\n"
    "  inner_steps  fewest inner steps per round\n"
    "  latency      highest one-way latency, the same on all paths\n"
    "  peers        largest number of sites (for files with a single [sites] table)\n"
    "  layers       number of layers from or up to which; --model gives the other dimensions\n"
    "  quorum       most sites that a leader or a syncer waits for\n"
    "  deadline     shortest time from a round's start until the others go on without a late "
    "site\n\n"
    "Each answer is computed again with faster GPUs and a slower network, and the reverse, and\n"
    "against --beats with the model's own error either way: the likely range runs over all of\n"
    "them (met_at_low, met_at_high). Within a cluster, --beats gives the break-even bandwidth of "
    "run\n"
    "--break-even, and its range.\n\n"
    "  gardenhose solve bandwidth --topology dgx_h100_x128 --nodes 32 --model llama_3_70b --zero "
    "3\n"
    "  gardenhose solve bandwidth --topology two_sites_10g --model llama_2_7b --tp 8 \\\n"
    "                   --scheme diloco --utilisation 0.5,0.8,0.9,0.95,0.99\n"
    "  gardenhose solve latency --topology two_sites_10g --model llama_2_7b --tp 8 \\\n"
    "                   --scheme wan_sync --beats diloco\n"
    "  gardenhose solve deadline --topology four_sites_mixed --model gpt_1.3b --scheme diloco \\\n"
    "                   --best tokens\n";

std::vector<double> parse_levels(const char* flag, const std::string& text, const char* example) {
  std::vector<double> levels;
  for (const std::string& part : split(text)) {
    const auto level = sim::parse_number(part, sim::Counting::large).value;
    if (!level || !(*level > 0)) {
      throw InputError(fmt::format("{}: '{}' is not a positive number; write e.g. {}", flag,
                                   sim::printable(part), example));
    }
    levels.push_back(*level);
  }
  return levels;
}

std::vector<double> parse_shares(const std::string& text) {
  std::vector<double> shares;
  for (const std::string& part : split(text)) {
    const auto share = sim::parse_number(part).value;
    if (!share || !(*share > 0 && *share < 1)) {
      throw InputError(
          fmt::format("--utilisation: '{}' is not between 0 and 1; write e.g. 0.5,0.8,0.95", part));
    }
    shares.push_back(*share);
  }
  return shares;
}

struct GoalTexts {
  std::string utilisation, tokens_per_day, usd, best;
};

sim::study::Measure best_of(const std::string& what) {
  if (what == "tokens") return sim::study::Measure::tokens_per_day;
  if (what == "usd") return sim::study::Measure::usd_per_million_tokens;
  throw InputError(fmt::format("--best: '{}' is neither tokens nor usd", sim::printable(what)));
}

// One of them, or a scheme to beat.
void parse_goal(const po::variables_map& values, const GoalTexts& texts,
                sim::study::SolveGoal& goal) {
  const char* given = nullptr;
  for (const char* flag :
       {"beats", "best", "tokens-per-day", "usd-per-million-tokens", "utilisation"}) {
    if (values.count(flag) == 0 || values[flag].defaulted()) continue;
    if (given != nullptr) {
      throw InputError(fmt::format("--{}: replaces --{}; specify only one of them", given, flag));
    }
    given = flag;
  }
  using sim::study::Measure;
  if (!goal.beats.empty()) return;
  if (!texts.best.empty()) {
    goal.measure = best_of(texts.best);
  } else if (!texts.tokens_per_day.empty()) {
    goal.measure = Measure::tokens_per_day;
    goal.levels = parse_levels("--tokens-per-day", texts.tokens_per_day, "100B,200B");
  } else if (!texts.usd.empty()) {
    goal.measure = Measure::usd_per_million_tokens;
    goal.levels = parse_levels("--usd-per-million-tokens", texts.usd, "0.1,0.2");
  } else {
    goal.levels = parse_shares(texts.utilisation);
  }
}

po::options_description goal_flags(SolveOptions& o, GoalTexts& texts) {
  po::options_description goal("Goal");
  auto add = goal.add_options();
  goal.add(flag("unknown", po::value(&o.unknown),
                "bandwidth|inner_steps|latency|peers|layers|quorum|deadline", {.first_day = true}));
  goal.add(flag("utilisation",
                po::value(&texts.utilisation)->default_value("0.5,0.8,0.9,0.95,0.99"),
                "utilisations to reach, separated by commas", {.first_day = true}));
  add("tokens-per-day", po::value(&texts.tokens_per_day),
      "tokens a day to reach, separated by commas, instead of a utilisation; of sites that come "
      "and go those that they keep");
  add("usd-per-million-tokens", po::value(&texts.usd),
      "prices of a million tokens not to exceed, in dollars, separated by commas, instead of a "
      "utilisation: GPUs, network, leased links and egress");
  goal.add(flag("beats", po::value(&o.goal.beats),
                "scheme to beat, instead of a utilisation to reach: find the value of the unknown "
                "at which --scheme becomes, or stops being, the faster of the two",
                {.first_day = true, .values = scheme_names}));
  add("best", po::value(&texts.best),
      "tokens|usd, instead of a utilisation: the inner_steps, peers, quorum or deadline that "
      "trains most tokens a day, or at the lowest price; of sites that come and go what they keep");
  add("jobs,j", jobs_flag(o.jobs), kJobsHelp);
  goal.add(format_flag(o.format));
  return goal;
}

std::optional<SolveOptions> parse_solve(const Arguments& given) {
  SolveOptions o;
  GoalTexts texts;
  po::options_description flags = job_flags(o.job);
  flags.add(goal_flags(o, texts));
  const auto arguments = with_launch_file(given, flags);
  if (!arguments) return std::nullopt;
  const auto values = parse_arguments(*arguments, kSolveUsage, flags, {{"unknown"}});
  if (!values) return std::nullopt;
  static_cast<void>(sim::study::unknown_named(o.unknown));
  o.job.schemes = split((*values)["scheme"].as<std::string>());
  if ((*values)["scheme"].defaulted() && is_wide_area(o.job.topology)) {
    throw InputError("--scheme: is missing; name the scheme between the sites");
  }
  check_format(o.format);
  parse_goal(*values, texts, o.goal);
  return o;
}

const sim::study::Unknown& unknown_of(const SolveOptions& options) {
  const sim::study::Unknown& between_sites = sim::study::unknown_named(options.unknown);
  if (is_wide_area(options.job.topology)) return between_sites;
  if (options.unknown == "bandwidth") return sim::study::nic_bandwidth();
  throw InputError(fmt::format(
      "solve {}: applies to several sites, but {} is one cluster; solve for bandwidth instead",
      options.unknown, options.job.topology));
}

// Refuses all that can be refused before the first simulation. The setup of --beats is the last.
Job read(const SolveOptions& options, const sim::study::Unknown& unknown) {
  Job job = read_job(options.job);
  if (!job.inner && job.cluster().nodes < 2) {
    throw InputError("--nodes: a single node has no network to solve for; use two or more");
  }
  if (!options.goal.beats.empty()) {
    job.setups.push_back(
        job.setup_of(job.with_settings(scheme_of(options.goal.beats, "--beats", job.kind()))));
  }
  check(job, job.setups);
  check(job, unknown, options.goal);
  warn_of_asked(job, job.setups);
  return job;
}

}  // namespace

int solve_command(const Arguments& arguments) {
  const auto options = parse_solve(arguments);
  if (!options) return 0;
  const sim::study::Unknown& unknown = unknown_of(*options);
  const Job job = read(*options, unknown);
  Progress progress("solving", most_tries(job, unknown, options->goal));
  print(options->format, unknown, job, options->goal,
        solve(job, unknown, options->goal, options->jobs, progress.watch().step));
  return 0;
}

}  // namespace apps
