// SPDX-License-Identifier: Apache-2.0
// fit: logs of nccl-tests, measured steps or profiled ones become the constants of a cluster file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "apps/data_files.hpp"
#include "apps/fit/base_text.hpp"
#include "apps/fit/diagnosis_output.hpp"
#include "apps/fit/fit_compute.hpp"
#include "apps/fit/fit_logs.hpp"
#include "apps/fit/fit_options.hpp"
#include "apps/fit/fit_output.hpp"
#include "apps/job/topology_files.hpp"
#include "apps/print.hpp"
#include "sim/base/error.hpp"
#include "sim/base/file.hpp"
#include "sim/base/printable.hpp"
#include "sim/base/toml_document.hpp"
#include "sim/fit/cluster_text.hpp"
#include "sim/fit/held_out.hpp"
#include "sim/fit/topo_matrix.hpp"
#include "sim/study/fit/diagnosis.hpp"
#include "sim/study/fit/link_constants.hpp"
#include "sim/study/fit/misfit.hpp"

namespace apps {
namespace {

namespace fit = sim::fit;
namespace study = sim::study;
using sim::InputError;

fit::Split split_of(const FitOptions& options, std::vector<fit::Log> logs) {
  if (options.hold_out.empty()) return {std::move(logs), {}};
  fit::Split split =
      options.hold_out == "sizes" ? fit::hold_out_sizes(logs) : fit::hold_out_most_gpus(logs);
  if (split.held.empty()) {
    throw InputError(
        "--hold-out: all logs are of equally many GPUs; add a log of fewer, or hold out sizes");
  }
  if (fit::bytes_of(split.held).empty()) {
    throw InputError("--hold-out: no log has two sizes; add times of other sizes");
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

// Enough sizes for constants by protocol.
bool are_enough(const FitOptions& options, const std::vector<fit::Log>& logs) {
  constexpr std::size_t kFewest = 4;
  std::set<double> sizes;
  for (const double bytes : fit::bytes_of(logs)) sizes.insert(bytes);
  if (sizes.size() >= kFewest) return true;
  if (options.output.empty() && options.hold_out.empty()) return false;
  throw InputError(fmt::format("{}: {} {} size{} to fit to; give {} or more, from bytes to GiB",
                               logs.front().name,
                               logs.size() == 1 ? "has" : "and the other logs have", sizes.size(),
                               sizes.size() == 1 ? "" : "s", kFewest));
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

study::Diagnosis diagnosis_of(const sim::Cluster& base, const std::vector<fit::Log>& logs) {
  study::Job job;
  job.topology = study::area_of(base);
  job.calibrations.emplace_back();
  const study::MeasuredTimes times = study::timed(job, logs);
  const bool has_one_node =
      std::ranges::any_of(logs, [](const fit::Log& log) { return log.nodes == 1; });
  return diagnose(times, fit_times(study::link_constants(), job, times), has_one_node);
}

int fit_to_logs(const FitOptions& options) {
  require_cluster(options.job.topology, "logs are fitted to one cluster");
  const std::filesystem::path file = data_file(Kind::topology, options.job.topology);
  std::string text = base_text(options, file);
  std::optional<fit::TopoMatrix> topo;
  if (!options.topo.empty()) {
    topo = fit::parse_topo(sim::read_input_text(options.topo), options.topo);
    text = with_topo(*topo, text, file);
  }
  const sim::Cluster base = sim::parse_cluster(text, file);
  fit::Split split = split_of(options, read_fit_logs(options.logs, options.collective));
  for (const auto* logs : {&split.used, &split.held}) {
    for (const fit::Log& log : *logs) {
      if (topo) check_matrix(options, *topo, log);
      check_shape(base, log);
    }
  }
  study::Diagnosis diagnosis = diagnosis_of(base, split.used);
  if (!are_enough(options, split.used)) {
    print(options.format, base, split.used, diagnosis);
    return 0;
  }
  fit::Fit fitted = fit::fit_constants(base, split.used);
  std::vector<FitErrors> errors = errors_of(base, fitted, split);
  const double base_error =
      std::ranges::find(errors, std::string_view("base"), &FitErrors::key)->errors.mean;
  std::vector<std::string> misfits =
      study::misfits_of(fitted, errors.front().errors.mean, base_error);
  const int code = exit_code_of_misfits(misfits, options.force);
  fit::Carry carry = carry_of(base, fitted, split.used);
  if (code == 0 && !options.output.empty()) {
    sim::write_file("--output", options.output, cluster_text(fitted, split.used, text, file));
  }
  print(options.format,
        {std::move(split.used), std::move(fitted), std::move(errors), std::move(carry),
         topo ? topo_lines(*topo, base) : std::vector<std::string>(), std::move(misfits),
         std::move(diagnosis)});
  return code;
}

}  // namespace

int fit_command(const Arguments& arguments) {
  const auto options = parse_fit(arguments);
  if (!options) return 0;
  if (!options->output.empty()) sim::require_writable("--output", options->output);
  if (!options->logs.empty()) return fit_to_logs(*options);
  return options->steps.empty() ? fit_to_trace(*options) : fit_to_steps(*options);
}

}  // namespace apps
