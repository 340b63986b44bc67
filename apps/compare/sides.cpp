// SPDX-License-Identifier: Apache-2.0
#include "apps/compare/sides.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/token_functions.hpp>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/job/setup_options.hpp"
#include "apps/print.hpp"
#include "apps/progress.hpp"
#include "apps/run/run_options.hpp"
#include "apps/search/best_setup.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr const char* kUsage =
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
  add("a", po::value(&o.a)->required(), "flags of run for A alone, in quotes");
  add("b", po::value(&o.b)->required(), "flags of run for B alone, in quotes");
  add("goal", po::value(&o.goal)->default_value("throughput"),
      "goal: throughput (tokens per second) or cost (tokens per dollar spent on GPUs, the network "
      "and, between sites, leased links and egress)");
  add("tune", po::bool_switch(&o.tune),
      "run each side with its fastest options, as run --tune does");
  add("repetitions", po::value(&o.repetitions)->default_value(100), "number of pairs to simulate");
  add("seed", po::value(&o.seed)->default_value(1),
      "seed of the random draws; the same seed gives the same answer");
  add("spread", po::value(&o.spreads)->composing(),
      "NAME=S: uncertainty of an assumption, as the standard deviation of its logarithm (0.1: "
      "about 10 %); NAME=0 treats it as exact; NAME may be 'all'");
  add("format", po::value(&o.format)->default_value("table"), "table|json|csv");
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
    throw InputError(
        fmt::format("{}: --{} applies to the comparison, not to a side; write it next to", flag,
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
  if (o.tune && is_wide_area(o.job.topology)) refuse_tune(o.job.topology);
}

// The shared flags and those of `own`; nothing for --help.
std::optional<CompareOptions> parse_side(Arguments arguments, const char* flag,
                                         const std::string& own) {
  const Arguments words = words_of(flag, own);
  arguments.insert(arguments.end(), words.begin(), words.end());
  CompareOptions o;
  po::options_description flags = compare_flags(o);
  flags.add(job_flags(o.job));
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, flags, {}, values)) return std::nullopt;
  refuse_shared_flags(flag, words);
  if (values["scheme"].defaulted() && is_wide_area(o.job.topology)) {
    throw InputError("--scheme: is missing; name the scheme between the sites");
  }
  o.job.schemes = split(values["scheme"].as<std::string>());
  o.job.given = names_given(flags, values);
  check(o);
  return o;
}

// `where` is the site, with a blank behind it, or nothing.
void warn_of_memory(const char* name, const std::string& where, double needed,
                    const sim::Gpu& gpu) {
  print_note(
      "warning: {}: {}needs {:.1f} GB, but the {} has {:.1f} GB; gardenhose run shows what would "
      "fit\n",
      name, where, needed / 1e9, gpu.name, static_cast<double>(gpu.memory.count) / 1e9);
}

// The tuned one where the options ask for it; says whether it fits.
bool prepare_trained(const char* name, const CompareOptions& options, StepSide& side) {
  if (options.tune) {
    StepTimes times(side.job);
    Progress progress("searching for the fastest options", 0);
    const std::vector<sim::Scheme> schemes{side.setup.scheme};
    side.setup = best_setup(side.job, schemes, times, {.progress = &progress}).setup;
    side.tuned_flags = flags_of(side.job, side.setup);
  }
  warn_of_tensor_nodes(side.job.cluster, side.setup.parallelism);
  const sim::Gpu& gpu = side.job.cluster.gpu;
  const double needed = memory_needed(side.job, side.setup);
  const bool fits = needed <= static_cast<double>(gpu.memory.count);
  if (!fits) warn_of_memory(name, "", needed, gpu);
  return fits;
}

bool prepare_trained(const char* name, const CompareOptions&, RoundSide& side) {
  const sim::Report report = report_round(side.job, side.scheme);
  if (!report.ended()) {
    throw InputError(fmt::format("{}: the round does not end: {}",
                                 name == std::string_view("A") ? "--a" : "--b",
                                 fmt::join(report.round->events, "; ")));
  }
  for (std::size_t table = 0; table < report.round->by_site.size(); ++table) {
    const sim::SiteReport& site = report.round->by_site[table];
    if (site.fits_memory) continue;
    warn_of_memory(name, site.name + " ", site.memory.total(),
                   side.job.area.sites[table].cluster.gpu);
  }
  return report.fits_memory;
}

Side read_side(const char* name, const std::string& flags, const CompareOptions& options) {
  if (is_wide_area(options.job.topology)) {
    RoundJob job = read_round_job(options.job);
    const sim::Scheme scheme = job.schemes.front();
    return {name, flags, RoundSide{std::move(job), scheme}};
  }
  Job job = read_job(options.job);
  Setup setup = job.setups.front();
  if (options.tune) {
    check_choice(job, {&setup.scheme, 1});
  } else {
    check(job, {&setup, 1});
  }
  return {name, flags, StepSide{std::move(job), std::move(setup)}};
}

void check_price(const StepSide& side) {
  if (side.job.cluster.gpu.price.base() > 0) return;
  throw InputError(
      fmt::format("--goal: {} has no gpu.price; write e.g. --set gpu.price=\"2 USD/h\"",
                  side.job.cluster.name));
}

void check_price(const RoundSide& side) {
  for (const sim::Site& site : side.job.area.sites) {
    if (site.cluster.gpu.price.base() > 0) continue;
    throw InputError(fmt::format("--goal: {} of {} has no gpu.price; write one into {}.toml",
                                 site.name, side.job.area.name, site.cluster.name));
  }
}

void check_pair(Goal goal, const Side& a, const Side& b) {
  if (total_parameters(a.model()) != total_parameters(b.model())) {
    throw InputError(fmt::format("--model: A trains {} and B {}: their tokens are not comparable",
                                 a.model().name, b.model().name));
  }
  if (goal == Goal::throughput) return;
  for (const Side* side : {&a, &b}) {
    std::visit([](const auto& one) { check_price(one); }, side->trained);
  }
}

}  // namespace

const std::string& Side::topology() const {
  const RoundSide* sites = rounds();
  return sites != nullptr ? sites->job.area.name : std::get<StepSide>(trained).job.cluster.name;
}

const sim::Model& Side::model() const {
  return std::visit([](const auto& one) -> const sim::Model& { return one.job.model; }, trained);
}

std::string_view Side::scheme() const {
  const RoundSide* sites = rounds();
  return sites != nullptr ? sites->scheme.name
                          : std::string_view(std::get<StepSide>(trained).setup.scheme.name);
}

std::optional<std::string> Side::tuned_flags() const {
  const StepSide* step = std::get_if<StepSide>(&trained);
  return step != nullptr ? step->tuned_flags : std::nullopt;
}

std::int64_t Side::global_batch() const {
  if (const RoundSide* sites = rounds()) {
    return sim::global_batch(sites->job.area, sites->job.parallelism);
  }
  const StepSide& step = std::get<StepSide>(trained);
  return sim::global_batch(step.job.cluster, step.setup.parallelism);
}

std::optional<Comparison> parse_comparison(const Arguments& arguments) {
  const CompareOptions given = parse_sides(arguments);
  const auto a = parse_side(arguments, "--a", given.a);
  if (!a) return std::nullopt;
  const auto b = parse_side(arguments, "--b", given.b);
  Comparison comparison{*a, read_side("A", a->a, *a), read_side("B", b->b, *b)};
  check_pair(a->aim(), comparison.a, comparison.b);
  return comparison;
}

void prepare(Comparison& comparison) {
  for (Side* side : {&comparison.a, &comparison.b}) {
    side->fits_memory = std::visit(
        [&](auto& trained) {
          return prepare_trained(side->name.c_str(), comparison.options, trained);
        },
        side->trained);
  }
}

}  // namespace apps
