// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/sides.hpp"

#include <fmt/format.h>

#include <boost/token_functions.hpp>
#include <string_view>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/flag.hpp"
#include "apps/job/asked_warnings.hpp"
#include "apps/job/reliability_options.hpp"
#include "apps/job/scheme_files.hpp"
#include "apps/job/setup_flags.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/launch/from_file.hpp"
#include "apps/print.hpp"
#include "apps/progress.hpp"
#include "apps/run/run_options.hpp"
#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/rounds/round_report.hpp"
#include "sim/study/search/best_setup.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr const char* kCompareUsage =
    "usage: gardenhose compare --a \"FLAGS\" --b \"FLAGS\" [FLAGS]\n\n"
    "Compares two configurations: which is better, how certain that is, and what would flip the\n"
    "decision. Each side is a run (a step on one cluster, or rounds on several sites) with its "
    "own\n"
    "flags, in quotes; all other flags apply to both sides. Predictions rest on uncertain\n"
    "assumptions, such as the bandwidth that a network reaches. Each repetition draws new values\n"
    "for all assumptions (the same for both sides if they share an assumption) and simulates both\n"
    "sides.\n\n"
    "  gardenhose compare --a \"--scheme sdp4bit\" --b \"--scheme sharded\" --topology "
    "dgx_h100_x16 \\\n"
    "                     --model gpt_2.7b --set network.nic_bandwidth=\"100 Gbps\"\n"
    "  gardenhose compare --a \"--topology dgx_a100_x16\" --b \"--topology dgx_h100_x16 --nodes "
    "8\" \\\n"
    "                     --model llama_2_7b --zero 3 --goal cost --repetitions 400 --seed 7\n"
    "  gardenhose compare --a \"--scheme sparseloco\" --b \"--scheme diloco\" --topology "
    "two_sites_10g \\\n"
    "                     --model llama_2_7b --tp 8 --set scheme.inner_steps=100\n"
    "  gardenhose compare --a \"--topology two_sites_10g --scheme diloco\" \\\n"
    "                     --b \"--topology dgx_h100_x16 --nodes 4\" --model llama_2_7b --tp 8\n";

po::options_description compare_flags(CompareOptions& o) {
  po::options_description flags("Comparison");
  auto add = flags.add_options();
  flags.add(flag("a", po::value(&o.a), "flags of run for A alone, in quotes; none if left out",
                 {.first_day = true}));
  flags.add(flag("b", po::value(&o.b), "flags of run for B alone, in quotes; none if left out",
                 {.first_day = true}));
  flags.add(flag(
      "goal", po::value(&o.goal)->default_value("throughput"),
      "throughput|cost: tokens per second, or tokens per dollar spent on GPUs, the network and, "
      "between sites, leased links and egress",
      {.first_day = true}));
  add("tune", po::bool_switch(&o.tune),
      "run each side with its fastest options, as run --tune does");
  add("repetitions", number_flag("--repetitions", o.repetitions)->default_value("100"),
      "number of pairs to simulate");
  add("jobs,j", jobs_flag(o.jobs), kJobsHelp);
  add("seed", number_flag("--seed", o.seed)->default_value("1"),
      "seed of the random draws; the same seed gives the same answer");
  add("spread", po::value(&o.spreads)->composing(),
      "NAME=S: uncertainty of an assumption, as the standard deviation of its logarithm (0.1: "
      "about 10 %); NAME=0 treats it as exact; NAME may be 'all'");
  flags.add(format_flag(o.format));
  return flags;
}

// The words of a side's flags, as a shell has them: blanks part words but for those in quotes.
Arguments words_of(const char* flag, const std::string& text) {
  constexpr const char* kEnd = "end";  // a word of its own, but for an open quote before it
  Arguments words;
  try {
    words = po::split_unix(text + " " + kEnd);
  } catch (const boost::escaped_list_error&) {
    words.clear();
  }
  if (words.empty() || words.back() != kEnd) {
    throw InputError(
        fmt::format("{}: '{}' ends inside a quote, or has a '\\' that no quote follows", flag,
                    sim::printable(text)));
  }
  words.pop_back();
  return words;
}

// What is given of these flags, among others.
po::parsed_options parse_only(const po::options_description& flags, const Arguments& arguments) {
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  return po::command_line_parser(arguments).options(flags).style(style).allow_unregistered().run();
}

// Only --a and --b: what they hold belongs beside the other flags.
CompareOptions parse_sides(const Arguments& arguments) {
  CompareOptions o;
  po::options_description flags;
  flags.add_options()("a", po::value(&o.a))("b", po::value(&o.b));
  po::variables_map values;
  po::store(parse_only(flags, arguments), values);
  po::notify(values);
  return o;
}

// But for --tune, flags of the comparison are of no side.
void refuse_shared_flags(const char* flag, const Arguments& own) {
  CompareOptions unused;
  for (const auto& given : parse_only(compare_flags(unused), own).options) {
    if (given.unregistered || given.string_key.empty() || given.string_key == "tune") continue;
    throw InputError(fmt::format(
        "{}: --{} applies to the comparison, not to a side; write it outside the quotes", flag,
        given.string_key));
  }
}

void check(const CompareOptions& o) {
  check_format(o.format);
  if (o.goal != "throughput" && o.goal != "cost") {
    throw InputError(
        fmt::format("--goal: '{}' is not one of: throughput, cost", sim::printable(o.goal)));
  }
  if (o.repetitions < 2 || o.repetitions > 100000) {
    throw InputError(
        fmt::format("--repetitions: {} is not a number from 2 to 100000", o.repetitions));
  }
  if (o.job.schemes.size() != 1 || o.job.schemes.front() == "all") {
    throw InputError("--scheme: each side takes one scheme; compare several with gardenhose run");
  }
  if (o.a.empty() && o.b.empty()) {
    throw InputError(
        "--a: is missing, and so is --b; write in one of them what the sides differ in");
  }
  if (o.tune && is_wide_area(o.job.topology)) refuse_tune(o.job.topology);
}

// Without quotes, --a takes the name of a flag alone, and its value stands behind.
void refuse_lone_flag(const char* side, const Arguments& own,
                      const po::options_description& flags) {
  if (own.size() != 1 || !own.front().starts_with("--")) return;
  const po::option_description* flag = flags.find_nothrow(own.front().substr(2), false);
  if (flag == nullptr || flag->semantic()->max_tokens() == 0) return;
  throw InputError(
      fmt::format("{0}: {1} has no value; write a side's flags in quotes, e.g. {0} "
                  "\"{1} VALUE\"",
                  side, own.front()));
}

// The shared flags and those of `own`; nothing for --help.
std::optional<CompareOptions> parse_side(Arguments given, const char* flag,
                                         const std::string& own) {
  const Arguments words = words_of(flag, own);
  given.insert(given.end(), words.begin(), words.end());
  CompareOptions o;
  po::options_description flags = compare_flags(o);
  po::options_description job = job_flags(o.job);
  add_reliability_flag(job, o.job);
  flags.add(job);
  refuse_lone_flag(flag, words, flags);
  const auto arguments = with_launch_file(given, flags);
  if (!arguments) return std::nullopt;
  const auto parsed = parse_arguments(*arguments, kCompareUsage, flags);
  if (!parsed) return std::nullopt;
  const po::variables_map& values = *parsed;
  refuse_shared_flags(flag, words);
  if (values["scheme"].defaulted() && is_wide_area(o.job.topology)) {
    throw InputError(fmt::format("--scheme: is missing; name the scheme between the sites of {}",
                                 o.job.topology));
  }
  o.job.schemes = split(values["scheme"].as<std::string>());
  o.job.given = names_given(flags, values);
  open_fields_of_file(given, o.job.given);
  check(o);
  return o;
}

void tune(Side& side, int jobs) {
  sim::study::StepTimes times(side.run.job, jobs);
  Progress progress("searching for the fastest options", 0);
  const std::vector<sim::Scheme> schemes{side.run.setup.scheme};
  side.run.setup = best_setup(side.run.job, schemes, times, {.watch = progress.watch()}).setup;
  side.tuned_flags = flags_of(side.run.job, side.run.setup);
}

void check_ends(const Side& side) {
  const sim::Report report = simulate(side.run.job, side.run.setup).report;
  if (report.ended()) return;
  throw InputError(fmt::format("{}: the round does not end: {}", side.name == "A" ? "--a" : "--b",
                               sim::joined(report.round->events, "; ")));
}

void warn_of_memory(const Side& side) {
  for (std::size_t table = 0; table < side.run.job.topology.sites.size(); ++table) {
    const sim::Site& site = side.run.job.topology.sites[table];
    const sim::Gpu& gpu = site.cluster.gpu;
    const double needed = memory_of(side.run.job, side.run.setup, table).total();
    if (needed <= static_cast<double>(gpu.memory.count)) continue;
    print_note(
        "warning: {}: {}needs {:.1f} GB, but the {} has {:.1f} GB; gardenhose run shows what would "
        "fit\n",
        side.name, side.run.job.inner ? site.name + " " : "", needed / 1e9, gpu.name,
        static_cast<double>(gpu.memory.count) / 1e9);
  }
}

Side read_side(const char* name, const std::string& flags, const CompareOptions& options) {
  Job job = read_job(options.job);
  Setup setup = job.setups.front();
  if (options.tune) {
    check_choice(job, {&setup.scheme, 1});
  } else {
    check(job, {&setup, 1});
    setup = balanced(job, std::move(setup));
  }
  return {name, flags, {std::move(job), std::move(setup)}};
}

bool has_sites(const CompareOptions& side) { return is_wide_area(side.job.topology); }

// "B trains on two_sites_10g, several sites".
std::string place_text(const char* name, const CompareOptions& side) {
  return fmt::format("{} trains on {}, {}", name, side.job.topology,
                     has_sites(side) ? "several sites" : "one cluster");
}

// A side on one cluster needs a scheme within it, one on several sites a scheme between them.
void check_kind(const char* name, const CompareOptions& side, const CompareOptions& other) {
  const bool sites = has_sites(side);
  const auto kind = sites ? sim::SchemeKind::between_sites : sim::SchemeKind::inside;
  const std::string& scheme = side.job.schemes.front();
  if (any_scheme(scheme, "--scheme", kind).kind() == kind) return;
  const bool shares = has_sites(other) != sites && other.job.schemes.front() == scheme;
  throw InputError(fmt::format(
      "--scheme: '{}' is a scheme {}, but {}; {}", sim::printable(scheme),
      sites ? "within a site" : "between sites", place_text(name, side),
      shares ? "the sides need schemes of different kinds: write --scheme inside --a and inside --b"
      : sites
          ? "write it as --inner-scheme, with a --scheme between the sites, or give the side one "
            "cluster with --topology"
          : "write a scheme within a cluster, or give the side several sites with --topology"));
}

Side read_one_of(const char* name, const CompareOptions& side, const CompareOptions& other) {
  const std::string& own = name == std::string_view("A") ? side.a : side.b;
  check_kind(name, side, other);
  if (has_sites(side) == has_sites(other)) return read_side(name, own, side);
  try {
    return read_side(name, own, side);
  } catch (const InputError& error) {
    throw InputError(fmt::format(
        "{}; {}, the other side does not: write flags for one of them inside its quotes",
        error.what(), place_text(name, side)));
  }
}

}  // namespace

std::int64_t Side::global_batch() const { return sim::study::global_batch(run.job, run.setup); }

sim::study::Comparison Comparison::question() const {
  return {a.run, b.run, options.aim(), options.repetitions, options.seed, options.jobs};
}

std::optional<Comparison> parse_comparison(const Arguments& arguments) {
  const CompareOptions given = parse_sides(arguments);
  const auto a = parse_side(arguments, "--a", given.a);
  if (!a) return std::nullopt;
  const auto b = parse_side(arguments, "--b", given.b);
  Comparison comparison{*a, read_one_of("A", *a, *b), read_one_of("B", *b, *a)};
  check(comparison.question());
  return comparison;
}

void prepare(Comparison& comparison) {
  for (Side* side : {&comparison.a, &comparison.b}) {
    if (comparison.options.tune) tune(*side, comparison.options.jobs);
    if (side->run.job.inner) {
      check_ends(*side);
    } else {
      warn_of_tensor_nodes(side->run.job.cluster(), side->run.setup.parallelism);
    }
    warn_of_asked(side->run.job, {&side->run.setup, 1});
    warn_of_memory(*side);
    side->fits_memory = fits_memory(side->run.job, side->run.setup);
  }
}

}  // namespace apps
