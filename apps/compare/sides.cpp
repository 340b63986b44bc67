#include "apps/compare/sides.hpp"

#include <fmt/format.h>

#include <boost/token_functions.hpp>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/job/round_job.hpp"
#include "apps/job/setup_options.hpp"
#include "apps/progress.hpp"
#include "apps/search/best_setup.hpp"
#include "sim/base/error.hpp"
#include "sim/base/quantity_text.hpp"
#include "sim/cluster/fabric.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr const char* kUsage =
    "usage: gardenhose compare --a \"FLAGS\" --b \"FLAGS\" [FLAGS]\n\n"
    "Which of two configurations is better, how sure that is, and what would have to be different\n"
    "for the other one to be. Each side is a run: with its own flags, in quotes, and with those "
    "that\n"
    "follow, which both share. What predictions rest on (what a network reaches, how fast kernels\n"
    "are) is known to within a spread: each repetition draws all of it anew, the same for both "
    "sides\n"
    "where they share it, and simulates both.\n\n"
    "  gardenhose compare --a \"--scheme sdp4bit\" --b \"--scheme sharded\" --topology "
    "dgx_h100_x16 \\\n"
    "                     --model gpt_2.7b --set network.nic_bandwidth=\"100 Gbps\"\n"
    "  gardenhose compare --a \"--topology dgx_a100_x16\" --b \"--topology dgx_h100_x16 --nodes "
    "8\" \\\n"
    "                     --model llama_2_7b --zero 3 --goal cost --repetitions 400 --seed 7\n";

po::options_description compare_flags(CompareOptions& o) {
  po::options_description flags("The comparison");
  auto add = flags.add_options();
  add("a", po::value(&o.a)->required(), "flags of run that are A's alone, in quotes");
  add("b", po::value(&o.b)->required(), "flags of run that are B's alone");
  add("goal", po::value(&o.goal)->default_value("throughput"),
      "throughput (tokens per second) or cost (tokens per dollar of the GPUs' price)");
  add("tune", po::bool_switch(&o.tune),
      "each side with the options that it is fastest with, as run --tune has it");
  add("repetitions", po::value(&o.repetitions)->default_value(100), "pairs that are simulated");
  add("seed", po::value(&o.seed)->default_value(1), "of the draws: the same seed, the same answer");
  add("spread", po::value(&o.spreads)->composing(),
      "NAME=S: how far an assumption may be off, as the standard deviation of its logarithm (0.1: "
      "about 10 %); NAME=0 takes it for granted, and NAME may be all");
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
        fmt::format("{}: '{}' ends inside a quote, or has a '\\' before what is no quote", flag,
                    sim::printable(text)));
  }
  words.pop_back();
  return words;
}

// Only --a and --b: what they hold belongs beside the other flags.
CompareOptions parse_sides(const Arguments& arguments) {
  CompareOptions o;
  po::options_description flags;
  flags.add_options()("a", po::value(&o.a))("b", po::value(&o.b));
  const int style = po::command_line_style::default_style & ~po::command_line_style::allow_guessing;
  po::variables_map values;
  po::store(
      po::command_line_parser(arguments).options(flags).style(style).allow_unregistered().run(),
      values);
  po::notify(values);
  return o;
}

void check(const CompareOptions& o) {
  check_format(o.format);
  if (o.goal != "throughput" && o.goal != "cost") {
    throw InputError(
        fmt::format("--goal: '{}' is none of the known: throughput, cost", sim::printable(o.goal)));
  }
  if (o.repetitions < 2 || o.repetitions > 100000) {
    throw InputError(fmt::format("--repetitions: {} is no number from 2 to 100000", o.repetitions));
  }
  if (o.job.schemes.size() != 1 || o.job.schemes.front() == "all") {
    throw InputError("--scheme: a side of a comparison is one scheme; run compares several");
  }
  if (is_wide_area(o.job.topology)) {
    throw InputError(fmt::format(
        "--topology: {} is several sites; compare is for one cluster, see run --baseline",
        o.job.topology));
  }
}

// The shared flags and those of `own`; nothing for --help.
std::optional<CompareOptions> parse_side(Arguments arguments, const char* flag,
                                         const std::string& own) {
  for (std::string& word : words_of(flag, own)) arguments.push_back(std::move(word));
  CompareOptions o;
  po::options_description flags = compare_flags(o);
  flags.add(job_flags(o.job));
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, flags, {}, values)) return std::nullopt;
  o.job.schemes = split(values["scheme"].as<std::string>());
  check(o);
  return o;
}

Setup setup_of(const CompareOptions& options, const Job& job) {
  if (!options.tune) return job.setups.front();
  StepTimes times(job);
  Progress progress("searching the fastest options", 0);
  const std::vector<sim::Scheme> schemes{job.setups.front().scheme};
  return best_setup(job, schemes, times, {.progress = &progress}).setup;
}

Side read_side(const char* name, const std::string& flags, const CompareOptions& options) {
  Job job = read_job(options.job);
  Setup setup = setup_of(options, job);
  const double needed = memory_needed(job, setup);
  const auto capacity = static_cast<double>(job.cluster.gpu.memory.count);
  Side side{name, flags, std::move(job), std::move(setup), needed <= capacity};
  if (side.fits_memory) return side;
  fmt::print(stderr, "warning: {}: needs {:.1f} GB of a {}'s {:.1f} GB; run says what would fit\n",
             name, needed / 1e9, side.job.cluster.gpu.name, capacity / 1e9);
  return side;
}

void check_pair(Goal goal, const Side& a, const Side& b) {
  if (total_parameters(a.job.model) != total_parameters(b.job.model)) {
    throw InputError(
        fmt::format("--model: A trains {} and B {}: their tokens are no measure of each other",
                    a.job.model.name, b.job.model.name));
  }
  for (const Side* side : {&a, &b}) {
    if (goal == Goal::throughput || side->job.cluster.gpu.price.base() > 0) continue;
    throw InputError(
        fmt::format("--goal: {} has no gpu.price; write e.g. --set gpu.price=\"2 USD/h\"",
                    side->job.cluster.name));
  }
}

}  // namespace

double Side::tokens_per_s(double step_time_s) const {
  const auto sequences = static_cast<double>(global_batch(job.cluster, setup.parallelism));
  return sequences * static_cast<double>(job.model.sequence) / step_time_s;
}

double Side::score(Goal goal, double step_time_s) const {
  const double tokens = tokens_per_s(step_time_s);
  if (goal == Goal::throughput) return tokens;
  return tokens / (job.cluster.gpu.price.base() * rank_count(job.cluster));
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

}  // namespace apps
