// run: one training step, of one scheme or of several side by side.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/break_even.hpp"
#include "apps/data_files.hpp"
#include "apps/run_options.hpp"
#include "apps/scheme_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/report/sources.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;

constexpr const char* kUsage =
    "usage: gardenhose run --topology NAME --model NAME [FLAGS]\n\n"
    "Simulates one training step and says how long it takes and why. Where the topology is "
    "several\n"
    "sites, it simulates rounds: inner steps inside each site, and what the sites exchange.\n\n"
    "  gardenhose run --topology sdp4bit_a100 --model gpt_2.7b --scheme sdp4bit --baseline twin\n"
    "  gardenhose run --topology my_cluster.toml --model llama_2_7b --scheme sharded,sdp4bit \\\n"
    "                 --baseline sharded --overlap all --accumulation 8 --format csv\n"
    "  gardenhose run --topology two_sites_10g --model llama_2_7b --tp 8 \\\n"
    "                 --scheme wan_sync,diloco,sparseloco --set scheme.inner_steps=100\n";

}  // namespace

po::options_description run_flags(RunOptions& o) {
  po::options_description flags = job_flags(o.job);
  po::options_description output("What is reported");
  auto add = output.add_options();
  add("baseline", po::value(&o.baseline),
      "scheme that the speed-up is over; 'twin': each scheme's own uncompressed form");
  add("break-even", po::bool_switch(&o.break_even),
      "search, by re-simulation, the NIC bandwidth below which each scheme beats its baseline "
      "(with "
      "--format table it is always searched)");
  add("format", po::value(&o.format)->default_value("table"), "table|json|csv");
  add("perfetto", po::value(&o.perfetto),
      "write the timeline (ui.perfetto.dev) of the last scheme");
  add("perfetto-ranks", po::value(&o.perfetto_ranks)->default_value(0),
      "only the first RANKS ranks in the timeline (default: all)");
  add("require-fit", po::bool_switch(&o.require_fit),
      "a step that does not fit in memory is an error");
  flags.add(round_flags(o.rounds));
  flags.add(output);
  return flags;
}

namespace {

std::optional<RunOptions> parse(const Arguments& arguments) {
  RunOptions o;
  po::options_description flags = run_flags(o);
  po::variables_map values;
  if (!parse_arguments(arguments, kUsage, flags, {}, values)) return std::nullopt;
  o.job.schemes = split(values["scheme"].as<std::string>());
  check_format(o.format);
  if (o.perfetto_ranks < 0) throw sim::InputError("--perfetto-ranks: is negative");
  if (o.perfetto.empty() && !values["perfetto-ranks"].defaulted()) {
    throw sim::InputError("--perfetto-ranks: needs --perfetto, whose ranks it counts");
  }
  if (o.break_even && o.baseline.empty()) {
    throw sim::InputError("--break-even: needs --baseline, which it compares with");
  }
  return o;
}

struct Result {
  sim::Schedule schedule;
  sim::Timeline timeline;
  sim::StepReport report;
};

// The main line: what goes in, the schedule, when it ran, what that means.
Result simulate_step(const Job& job, const Setup& setup) {
  Result result;
  result.schedule = sim::plan_step(job.context(setup), setup.scheme);
  result.timeline = sim::simulate(result.schedule, job.cluster);
  result.report =
      sim::summarize(job.context(setup), setup.scheme, result.schedule, result.timeline);
  result.report.codec_error =
      sim::codec_errors(data_directory() / "traces/calibration/codec_error.json", setup.scheme);
  return result;
}

// The scheme that `name` means as the baseline of `scheme`.
Setup baseline_of(const std::string& name, const Job& job, const Setup& setup) {
  if (name == "twin") return {twin_of(setup.scheme), setup.parallelism};
  const sim::Scheme baseline = scheme_of(name, "--baseline");
  // A setting may name a part that only the compressed scheme has.
  return job.setup_of(baseline.compresses() ? sim::with_settings(baseline, job.scheme_settings)
                                            : baseline);
}

int run_step(const RunOptions& options) {
  if (!options.rounds.deadline.empty() || options.rounds.inner_scheme != "sharded") {
    throw sim::InputError(fmt::format(
        "{}: is for several sites, and {} is one cluster; --scheme says how it shards",
        options.rounds.deadline.empty() ? "--inner-scheme" : "--deadline", options.job.topology));
  }
  const Job job = read_job(options.job);

  std::vector<sim::StepReport> reports;
  for (const Setup& setup : job.setups) {
    Result result = simulate_step(job, setup);
    warn_of_memory(options, result.report.scheme, result.report.memory, job.context(setup),
                   setup.scheme);
    if (!options.baseline.empty()) {
      const Setup baseline = baseline_of(options.baseline, job, setup);
      const Result reference = simulate_step(job, baseline);
      result.report.baseline = baseline.scheme.name;
      result.report.speedup = reference.report.step_time_s / result.report.step_time_s;
      const bool shown = std::any_of(reports.begin(), reports.end(), [&](const auto& report) {
        return report.scheme == baseline.scheme.name;
      });
      if (!shown && job.setups.size() == 1 && baseline.scheme.name != setup.scheme.name) {
        reports.push_back(reference.report);
      }
      if (options.break_even || options.format == "table") {
        result.report.break_even = find_break_even(job, setup, baseline);
      }
    }
    if (!options.perfetto.empty() && &setup == &job.setups.back()) {
      sim::write_file(options.perfetto,
                      sim::to_perfetto(result.schedule, result.timeline, options.perfetto_ranks));
    }
    reports.push_back(std::move(result.report));
  }
  print(options, reports);
  return 0;
}

}  // namespace

void warn_of_memory(const RunOptions& options, std::string_view what, const sim::MemoryUse& memory,
                    const sim::StepContext& context, const sim::Scheme& inner) {
  const sim::Gpu& gpu = context.cluster.gpu;
  const auto capacity = static_cast<double>(gpu.memory.count);
  if (memory.total() <= capacity) return;
  const auto remedies = sim::what_would_fit(
      {context.cluster, context.model, context.parallelism, sim::codec_memory(context, inner)},
      capacity - memory.outer_state);
  const std::string line =
      fmt::format("{}: needs {:.1f} GB of a {}'s {:.1f} GB; {}", what, memory.total() / 1e9,
                  gpu.name, capacity / 1e9,
                  remedies.empty() ? "no flag here makes it fit: more GPUs, or --pp, would"
                                   : fmt::format("what fits: {}", fmt::join(remedies, "; or ")));
  if (options.require_fit) throw sim::InputError("--require-fit: " + line);
  fmt::print(stderr, "warning: {}\n", line);
}

int run_command(const Arguments& arguments) {
  const auto options = parse(arguments);
  if (!options) return 0;
  return is_wide_area(options->job.topology) ? run_rounds(*options) : run_step(*options);
}

}  // namespace apps
