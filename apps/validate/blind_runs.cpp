// SPDX-License-Identifier: Apache-2.0
#include "apps/validate/blind_runs.hpp"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "apps/arguments.hpp"
#include "apps/progress.hpp"
#include "apps/run/run_options.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/simulation.hpp"
#include "sim/times/published.hpp"
#include "sim/topology/topology.hpp"
#include "sim/validation/serial.hpp"

namespace apps {
namespace {

using sim::validation::kCurveEfficiencies;
using sim::validation::TimeCurve;
using sim::validation::TrainingRow;

// Nothing fitted: what remains is the efficiency.
void set_efficiency(sim::Cluster& cluster, double efficiency) {
  cluster = sim::data_sheet_only(cluster);
  cluster.default_efficiency = {.efficiency = efficiency, .source = "other sources"};
}

double per_token(const BlindRun& run, double step_s) {
  const sim::Cluster& cluster = run.job.cluster();
  const auto samples = static_cast<double>(sim::global_batch(cluster, run.setup.parallelism));
  return step_s * sim::rank_count(cluster) / (samples * run.job.model.sequence);
}

}  // namespace

Arguments arguments_of(const std::string& flags) {
  Arguments arguments;
  std::istringstream words(flags);
  for (std::string word; words >> word;) arguments.push_back(word);
  return arguments;
}

Arguments run_arguments(const TrainingRow& row) {
  return arguments_of(
      fmt::format("--topology {} --model {} {}", row.topology, row.model, row.flags));
}

BlindRun single_run(const std::string& name, const Arguments& arguments) {
  try {
    const auto options = parse_run(arguments);
    if (!options) throw sim::InputError("--help: is no flag of a row; leave it out");
    Job job = read_job(options->job);
    if (job.setups.size() != 1) throw sim::InputError("is not one step or round");
    check(job, job.setups);
    Setup setup = job.setups.front();
    return {std::move(job), std::move(setup)};
  } catch (const boost::program_options::error& error) {
    throw sim::InputError(fmt::format("{}: {}", name, message_of(error, "run")));
  } catch (const sim::InputError& error) {
    throw sim::InputError(fmt::format("{}: {}", name, error.what()));
  }
}

BlindRun training_run(const std::string& name, const Arguments& arguments) {
  BlindRun run = single_run(name, arguments);
  if (!run.job.inner) return run;
  throw sim::InputError(fmt::format("{}: is not one step of one cluster", name));
}

BlindRun run_of(const TrainingRow& row, const Arguments& more) {
  Arguments arguments = run_arguments(row);
  arguments.insert(arguments.end(), more.begin(), more.end());
  BlindRun run = training_run(row.id, arguments);
  const int gpus = sim::rank_count(run.job.cluster());
  if (gpus == row.gpus) return run;
  throw sim::InputError(
      fmt::format("{}: gpus: is {}, but its flags run on {}", row.id, row.gpus, gpus));
}

double token_seconds(const BlindRun& run) {
  return per_token(run, sim::study::seconds_of(run.job, run.setup));
}

double token_seconds(BlindRun run, double efficiency) {
  set_efficiency(run.job.cluster(), efficiency);
  return token_seconds(run);
}

double serial_token_seconds(BlindRun run, double efficiency) {
  set_efficiency(run.job.cluster(), efficiency);
  run.job.calibration().product_rate = 1;  // no step decides another one
  return per_token(run,
                   sim::validation::serial_seconds(run.job.context(run.setup), run.setup.scheme));
}

std::vector<TimeCurve> time_curves(const std::vector<BlindRun>& runs, int jobs,
                                   const std::function<void()>& step) {
  constexpr std::size_t kPoints = kCurveEfficiencies.size();
  std::vector<TimeCurve> curves(runs.size());
  sim::for_each_in_parallel(jobs, runs.size() * kPoints, [&](std::size_t i) {
    step();
    curves[i / kPoints].seconds.at(i % kPoints) =
        token_seconds(runs[i / kPoints], kCurveEfficiencies.at(i % kPoints));
  });
  return curves;
}

BlindRun throttled_run_of(const TrainingRow& row) {
  BlindRun run = run_of(row);
  const auto& published = run.job.calibration().published;
  if (!published || !published->power) return run;
  return run_of(row, {"--power-throttling", "on"});
}

CurvesOfRuns curves_of(const std::vector<TrainingRow>& rows, int jobs, bool throttled) {
  const auto run = [&](std::size_t i) {
    return throttled ? throttled_run_of(rows[i]) : run_of(rows[i]);
  };
  CurvesOfRuns all{.runs = sim::in_parallel(jobs, rows.size(), run), .curves = {}};
  Progress progress("simulating rows", static_cast<int>(kCurveEfficiencies.size() * rows.size()));
  all.curves = time_curves(all.runs, jobs, [&] { progress.step(); });
  return all;
}

}  // namespace apps
