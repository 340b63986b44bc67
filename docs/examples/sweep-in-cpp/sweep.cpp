// SPDX-License-Identifier: Apache-2.0
// Sweeps a training in code: runs the points of study.toml that study.sqlite does not have yet. It
// needs the library sim_study alone.
#include "sim/study/sweep/sweep.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/study/simulation.hpp"

namespace {

using namespace sim::sweep;

const FileNames kFiles{{"cluster", "topologies/dgx_h100_x16.toml"},
                       {"efficiencies", "traces/compute_efficiency.toml"},
                       {"model", "traces/models/gpt_2.7b.toml"}};

// Runs a point: its inputs become a job. An InputError refuses the point.
Inputs report_of(const Inputs& inputs) {
  sim::study::Job job = sim::study::job_of(sim::read_cluster(kFiles.at("cluster")),
                                           sim::read_model(kFiles.at("model")), sim::roofline(),
                                           sim::read_efficiencies(kFiles.at("efficiencies")));
  job.cluster().nodes = inputs.at("nodes");
  const sim::Scheme& scheme = sim::scheme_named(inputs.at("scheme").get<std::string>());
  const sim::Report report = simulate(job, job.setup_of(scheme)).report;
  return {{"step_time_s", report.time_s}, {"tokens_per_s", report.tokens_per_s}};
}

}  // namespace

int main() {
  try {
    const Runner runner{
        .version = "1", .report = report_of, .files = [](const Inputs&) { return kFiles; }};
    const Spec spec = read_spec("study.toml");
    const Signals signals;
    const StoreLock lock("study.sqlite");
    Origins origins = origins_of(runner);
    Store store = open_sweep("study.sqlite", identity_of(spec, {}), points_of(spec), origins);
    const Totals totals = run_points(store, origins, runner, signals, new_session("1", {}, 2));
    fmt::print("{} points run, {} run before\n", totals.ended, totals.before);
    each_record(store, [](const Inputs& record) { fmt::print("{}\n", record.dump()); });
    return totals.stopped_by == 0 ? 0 : 128 + totals.stopped_by;
  } catch (const sim::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
