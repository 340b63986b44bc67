// SPDX-License-Identifier: Apache-2.0
// fit: logs of nccl-tests become the constants of a cluster file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/arguments.hpp"
#include "apps/commands.hpp"
#include "apps/data_files.hpp"
#include "apps/fit/fit_logs.hpp"
#include "apps/fit/fit_output.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/names.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/fit/cluster_text.hpp"
#include "sim/fit/held_out.hpp"
#include "sim/fit/topo_matrix.hpp"

namespace apps {
namespace {

namespace po = boost::program_options;
namespace fit = sim::fit;
using sim::InputError;

constexpr const char* kFitUsage =
    "usage: gardenhose fit LOG... --topology NAME [FLAGS] [-o FILE]\n\n"
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
    "the topology; the table says which and why.\n";

struct FitOptions {
  std::vector<std::string> logs;
  std::string topology, topo, collective, hold_out, output, format;
};

std::optional<FitOptions> parse_fit(const Arguments& arguments) {
  FitOptions o;
  po::options_description flags("Fit");
  auto add = flags.add_options();
  add("log", po::value(&o.logs)->required(), "files of logs, or names of published ones");
  add("topology", po::value(&o.topology)->required(),
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
  if (!parse_arguments(arguments, kFitUsage, flags, {{"log", -1}})) return std::nullopt;
  check_format(o.format);
  constexpr std::string_view kHeld[] = {"sizes", "gpus"};
  if (!o.hold_out.empty() && std::ranges::find(kHeld, o.hold_out) == std::end(kHeld)) {
    sim::refuse_name("--hold-out", o.hold_out, kHeld);
  }
  return o;
}

void check_output(const FitOptions& options, const std::filesystem::path& topology) {
  if (options.output.empty()) return;
  std::vector<std::filesystem::path> inputs{topology};
  for (const std::string& file : log_files(options.logs)) inputs.emplace_back(file);
  if (!options.topo.empty()) inputs.emplace_back(options.topo);
  sim::refuse_overwriting("--output", options.output, inputs);
  sim::require_writable(options.output);
}

fit::Split split_of(const FitOptions& options, std::vector<fit::Log> logs) {
  if (options.hold_out.empty()) return {std::move(logs), {}};
  fit::Split split =
      options.hold_out == "sizes" ? fit::hold_out_sizes(logs) : fit::hold_out_most_gpus(logs);
  if (split.held.empty()) {
    throw InputError(
        "--hold-out: all logs are of equally many GPUs; add a log of fewer, or hold out sizes");
  }
  return split;
}

// A node of the matrix has the GPUs of the topology, so the matrix is what must change.
void check_matrix(const FitOptions& options, const fit::TopoMatrix& topo, const fit::Log& log) {
  if (log.gpus_per_node <= topo.gpus) return;
  throw InputError(fmt::format(
      "{}: ran on {} GPUs of a node, but --topo {} has {}; give the matrix of such a node",
      log.name, log.gpus_per_node, sim::printable_path(options.topo), topo.gpus));
}

void require_enough(const std::vector<fit::Log>& logs) {
  constexpr std::size_t kFewest = 4;
  std::set<double> sizes;
  for (const double bytes : fit::bytes_of(logs)) sizes.insert(bytes);
  if (sizes.size() >= kFewest) return;
  throw InputError(fmt::format("{}: has {} sizes to fit to; give {} or more, from bytes to GiB",
                               logs.front().name, sizes.size(), kFewest));
}

std::vector<FitErrors> errors_of(const sim::Cluster& base, const fit::Fit& fitted,
                                 const fit::Split& split) {
  const auto of = [](const std::vector<double>& predicted, const std::vector<fit::Log>& logs) {
    return fit::errors_of(predicted, fit::measured_s(logs), fit::bytes_of(logs));
  };
  const std::vector<fit::Log>& used = split.used;
  std::vector<FitErrors> errors{{"fit", "fit", of(predicted_s(fitted.cluster, used), used)},
                                {"  each size predicted from the others", "fit_without_size",
                                 of(without_its_size_s(fitted, used), used)},
                                {"base", "base", of(predicted_s(base, used), used)},
                                {"alpha-beta law", "alpha_beta", of(law_s(used, used), used)},
                                {"  each size predicted from the others", "alpha_beta_without_size",
                                 of(law_without_its_size_s(used), used)}};
  if (split.held.empty()) return errors;
  const std::vector<fit::Log>& held = split.held;
  errors.push_back({"held out: fit", "held_fit", of(predicted_s(fitted.cluster, held), held)});
  errors.push_back({"held out: base", "held_base", of(predicted_s(base, held), held)});
  errors.push_back({"held out: alpha-beta law", "held_alpha_beta", of(law_s(used, held), held)});
  return errors;
}

std::vector<std::string> warnings_of(const fit::Fit& fitted, const fit::Errors& errors) {
  constexpr double kFar = 0.1, kFullShare = 0.98;
  std::vector<std::string> warnings;
  for (const fit::FittedConstant& one : fitted.fitted) {
    if (one.constant->measure != fit::Measure::share || one.value < kFullShare) continue;
    warnings.push_back(fmt::format(
        "{} is at its limit: the links are faster than the topology says; check its bandwidth.",
        one.constant->key));
  }
  if (errors.mean > kFar) {
    warnings.push_back(
        fmt::format("The times are {:.0f} % off the fit on average: check the topology, and that "
                    "nothing else used the links.",
                    100 * errors.mean));
  }
  return warnings;
}

}  // namespace

int fit_command(const Arguments& arguments) {
  const auto options = parse_fit(arguments);
  if (!options) return 0;
  require_cluster(options->topology, "logs are fitted to one cluster");
  const std::filesystem::path file = data_file(Kind::topology, options->topology);
  check_output(*options, file);
  std::string text = sim::read_input_text(file);
  std::optional<fit::TopoMatrix> topo;
  if (!options->topo.empty()) {
    topo = fit::parse_topo(sim::read_input_text(options->topo), options->topo);
    text = with_topo(*topo, text, file);
  }
  const sim::Cluster base = sim::parse_cluster(text, file);
  fit::Split split = split_of(*options, read_fit_logs(options->logs, options->collective));
  for (const auto* logs : {&split.used, &split.held}) {
    for (const fit::Log& log : *logs) {
      if (topo) check_matrix(*options, *topo, log);
      check_shape(base, log);
    }
  }
  require_enough(split.used);
  fit::Fit fitted = fit::fit_constants(base, split.used);
  std::vector<FitErrors> errors = errors_of(base, fitted, split);
  std::vector<std::string> warnings = warnings_of(fitted, errors.front().errors);
  fit::Carry carry = carry_of(base, fitted, split.used);
  if (!options->output.empty()) {
    sim::write_file(options->output, cluster_text(fitted, split.used, text, file));
  }
  print(options->format,
        {std::move(split.used), std::move(fitted), std::move(errors), std::move(carry),
         topo ? topo_lines(*topo, base) : std::vector<std::string>(), std::move(warnings)});
  return 0;
}

}  // namespace apps
