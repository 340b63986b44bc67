// SPDX-License-Identifier: Apache-2.0
#include "apps/fit/fit_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include "apps/arguments.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
using sim::InputError;

constexpr const char* kFitUsage =
    "usage: gardenhose fit LOG... --topology NAME [FLAGS] [-o FILE]\n"
    "       gardenhose fit --trace FILE [FLAGS]\n\n"
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
    "--trace shows where the time of a profiled step goes: a file that torch.profiler's\n"
    "export_chrome_trace wrote, gzip or not.\n\n"
    "  gardenhose fit --trace rank0.json.gz\n";

// Exactly one kind of measurements is given.
void check_kind(const FitOptions& o) {
  const int kinds = static_cast<int>(!o.logs.empty()) + static_cast<int>(!o.traces.empty());
  if (kinds == 0) {
    throw InputError(
        "gardenhose fit: LOG... is missing; write e.g. gardenhose fit my.log --topology "
        "dgx_h100_x16 --collective all_reduce -o mine.toml, or give --trace");
  }
  if (kinds > 1) throw InputError("--trace: cannot be fitted together with logs; give one of them");
  if (!o.logs.empty() && !o.has_job()) {
    throw InputError("--topology: is missing; name the cluster of the logs");
  }
}

void check_log_flags(const FitOptions& o, const std::set<std::string>& given) {
  const auto refuse = [&](std::initializer_list<const char*> flags, const char* what) {
    for (const char* flag : flags) {
      if (given.contains(flag)) throw InputError(fmt::format("--{}: {}", flag, what));
    }
  };
  if (o.logs.empty()) {
    refuse({"topology", "topo", "collective", "hold-out", "output"},
           "applies to logs of collectives; leave it out");
  }
  constexpr std::string_view kHeld[] = {"sizes", "gpus"};
  if (!o.hold_out.empty() && std::ranges::find(kHeld, o.hold_out) == std::end(kHeld)) {
    sim::refuse_name("--hold-out", o.hold_out, kHeld);
  }
}

}  // namespace

std::optional<FitOptions> parse_fit(const Arguments& arguments) {
  FitOptions o;
  po::options_description flags("Fit");
  auto add = flags.add_options();
  add("log", po::value(&o.logs), "files of logs, or names of published ones");
  add("trace", po::value(&o.traces)->composing(),
      "file of a PyTorch profiler's trace (Chrome JSON, gzip or not), whose kernels to show by "
      "class; may be repeated, once for each rank");
  add("topology", po::value(&o.job.topology),
      "cluster that gives the shape and all values that are not fitted: a shipped name (see "
      "gardenhose list) or a file");
  add("topo", po::value(&o.topo),
      "file with the output of nvidia-smi topo -m: gives the number of GPUs and NICs of a node, "
      "the "
      "NIC of each GPU, and whether NVLink has switches");
  add("collective", po::value(&o.collective),
      "collective of the logs that do not name their program: all_gather, reduce_scatter, "
      "all_reduce or all_to_all");
  add("hold-out", po::value(&o.hold_out),
      "times to leave out of the fit and to predict: sizes (every second one of each log) or gpus "
      "(the logs of the most GPUs)");
  add("output,o", po::value(&o.output),
      "cluster file to write: the topology's with the fitted constants");
  add("format", po::value(&o.format)->default_value("table"), "table|json|csv");
  const auto values = parse_arguments(arguments, kFitUsage, flags, {{"log", -1}});
  if (!values) return std::nullopt;
  check_format(o.format);
  check_kind(o);
  check_log_flags(o, names_given(flags, *values));
  return o;
}

}  // namespace apps
