// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/fit_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <string_view>

#include "apps/arguments.hpp"
#include "apps/flag.hpp"
#include "apps/job/measured_steps.hpp"
#include "apps/launch/from_file.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr const char* kFitUsage =
    "usage: gardenhose fit LOG... --topology NAME [FLAGS] [-o FILE]\n"
    "       gardenhose fit --steps FILE --topology NAME [FLAGS] [-o FILE]\n"
    "       gardenhose fit --trace FILE [--topology NAME --model NAME [FLAGS] [-o FILE]]\n\n"
    "Fits a cluster's launch, step latency and bandwidth by protocol to measured times of\n"
    "collectives, and writes them as a cluster file. A LOG is what nccl-tests printed\n"
    "(all_reduce_perf, all_gather_perf, reduce_scatter_perf, alltoall_perf), a CSV table, or the\n"
    "name of a published log (traces/published/nccl_logs.csv). Give several logs to separate more\n"
    "constants: one node and several, two collectives, two numbers of GPUs.\n\n"
    "The times must be those of a healthy machine: keep what the program prints from \"# "
    "nThread\"\n"
    "to the last row, with sizes from a few bytes to a few GiB, a factor of 2 apart:\n\n"
    "  all_reduce_perf -b 8 -e 8G -f 2 -g 8 | tee my.log\n"
    "  gardenhose fit my.log --topology dgx_h100_x16 --collective all_reduce -o mine.toml\n"
    "  gardenhose collective all_reduce --topology mine.toml --nodes 1\n"
    "  nvidia-smi topo -m > node.topo; gardenhose fit my.log --topo node.topo --topology "
    "dgx_h100_x16\n"
    "  gardenhose fit gcp_a3_mega_2x8 --topology gcp_a3_mega --hold-out sizes\n\n"
    "A constant that the times do not determine, or with whose value they agree, stays as it is "
    "in\n"
    "the topology; the table says which and why.\n\n"
    "--steps fits the compute efficiency, and what else they determine, to measured times of "
    "whole\n"
    "steps; --trace to the kernels of a profiled step, a file that torch.profiler's\n"
    "export_chrome_trace wrote. Without a topology, --trace shows where the step's time goes.\n\n"
    "  printf 'model,nodes,step_s\\ngpt_1.3b,1,0.71\\ngpt_2.7b,1,1.28\\n' >steps.csv\n"
    "  gardenhose fit --steps steps.csv --topology my_cluster.toml --micro-batch 4 -o mine.toml\n"
    "  gardenhose fit --trace rank0.json.gz\n"
    "  gardenhose fit --trace rank0.json.gz --topology my_cluster.toml --nodes 1 --model gpt_1.3b "
    "\\\n"
    "    --micro-batch 4 -o mine.toml\n";

// Exactly one kind of measurements is given.
void check_kind(const FitOptions& o) {
  const int kinds = static_cast<int>(!o.logs.empty()) + static_cast<int>(!o.traces.empty()) +
                    static_cast<int>(!o.steps.empty());
  if (kinds == 0) {
    throw InputError(
        "gardenhose fit: LOG... is missing; write e.g. gardenhose fit my.log --topology "
        "dgx_h100_x16 --collective all_reduce -o mine.toml, or give --steps or --trace");
  }
  if (kinds > 1) {
    throw InputError(fmt::format("{}: cannot be fitted together with {}; give one of them",
                                 o.traces.empty() || o.steps.empty()
                                     ? (o.traces.empty() ? "--steps" : "--trace")
                                     : "--trace",
                                 o.logs.empty() ? "--steps" : "logs"));
  }
  if (o.traces.empty() && !o.has_job()) {
    throw InputError("--topology: is missing; name the cluster that was measured");
  }
  if (!o.traces.empty() && o.has_job() && o.job.model.empty()) {
    throw InputError("--model: is missing; name the model of the profiled step");
  }
}

// Flags that the kind of measurements does not use would be ignored.
void check_flags(const FitOptions& o, const std::set<std::string>& given,
                 const std::set<std::string>& of_job) {
  const auto refuse = [&](std::initializer_list<const char*> flags, const char* what) {
    for (const char* flag : flags) {
      if (given.contains(flag)) throw InputError(fmt::format("--{}: {}", flag, what));
    }
  };
  if (o.logs.empty())
    refuse({"topo", "collective"}, "applies to logs of collectives; leave it out");
  if (o.steps.empty()) refuse({"jobs"}, "applies to --steps; leave it out");
  if (!o.traces.empty()) refuse({"hold-out"}, "applies to logs and --steps; leave it out");
  if (!o.traces.empty() && !o.has_job()) {
    refuse({"output", "model"}, "needs --topology, whose constants to fit");
  }
  for (const std::string& flag : of_job) {
    const bool is_of_logs = flag == "topology" || flag == "set" || flag == "algorithm" ||
                            flag == "protocol" || flag == "nccl";
    if (is_of_logs || o.logs.empty()) continue;
    throw InputError(fmt::format("--{}: applies to --steps and --trace; leave it out", flag));
  }
  constexpr std::string_view kHeldLogs[] = {"sizes", "gpus"}, kHeldSteps[] = {"steps"};
  const std::span<const std::string_view> known =
      o.steps.empty() ? std::span<const std::string_view>(kHeldLogs) : kHeldSteps;
  if (!o.hold_out.empty() && std::ranges::find(known, o.hold_out) == known.end()) {
    sim::refuse_name("--hold-out", o.hold_out, known);
  }
}

}  // namespace

std::optional<FitOptions> parse_fit(const Arguments& given) {
  FitOptions o;
  po::options_description flags("Fit");
  auto add = flags.add_options();
  flags.add(flag("log", po::value(&o.logs), "files of logs, or names of published ones",
                 {.first_day = true}));
  flags.add(flag(
      "trace", po::value(&o.traces)->composing(),
      "file of a PyTorch profiler's trace (Chrome JSON, gzip or not); may be repeated, once for "
      "each rank. With the flags of its job, constants are fitted to its kernels; without, they "
      "are "
      "shown by class",
      {.first_day = true}));
  flags.add(flag("steps", po::value(&o.steps), kMeasuredStepsHelp, {.first_day = true}));
  add("topo", po::value(&o.topo),
      "file with the output of nvidia-smi topo -m: gives the number of GPUs and NICs of a node, "
      "the "
      "NIC of each GPU, and whether NVLink has switches");
  add("collective", po::value(&o.collective),
      "collective of the logs that do not name their program: all_gather, reduce_scatter, "
      "all_reduce or all_to_all");
  add("hold-out", po::value(&o.hold_out),
      "times to leave out of the fit and to predict: of logs, sizes (every second one of each log) "
      "or gpus (the logs of the most GPUs); of --steps, steps (every second row)");
  flags.add(flag("output,o", po::value(&o.output),
                 "cluster file to write: the topology's with the fitted constants",
                 {.first_day = true}));
  add("force", po::bool_switch(&o.force),
      "take a fit that is hard to believe: write the cluster file and exit with 0 all the same");
  add("jobs,j", jobs_flag(o.jobs), kJobsHelp);
  flags.add(format_flag(o.format));
  const po::options_description setup = job_flags(o.job, {.may_lack_files = true, .aside = true});
  flags.add(setup);
  const auto arguments = with_launch_file(given, flags);
  if (!arguments) return std::nullopt;
  const auto values = parse_arguments(*arguments, kFitUsage, flags, {{"log", -1}});
  if (!values) return std::nullopt;
  check_format(o.format);
  check_kind(o);
  check_flags(o, names_given(flags, *values), names_given(setup, *values));
  o.job_flags = job_arguments(setup, *values);
  return o;
}

}  // namespace apps
