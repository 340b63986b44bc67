// SPDX-License-Identifier: Apache-2.0
// Plans a training in code: the fastest ways to train a model on a cluster. It needs the library
// sim_study alone.
#include "sim/study/plan/plan.hpp"

#include <fmt/format.h>

#include "sim/base/error.hpp"
#include "sim/workload/parallelism_fields.hpp"

namespace {

// What the files say, codecs at their rooflines, and the schemes to choose from.
sim::study::Job read_job() {
  sim::study::Job job =
      sim::study::job_of(sim::read_cluster("topologies/dgx_h100_x16.toml"),
                         sim::read_model("traces/models/gpt_2.7b.toml"), sim::roofline(),
                         sim::read_efficiencies("traces/compute_efficiency.toml"));
  job.given = {"tp", "pp", "micro-batch", "recompute", "gradient-precision"};  // stay as they are
  for (const char* scheme : {"sharded", "zeropp", "sdp4bit"}) {
    job.setups.push_back(job.setup_of(sim::scheme_named(scheme)));
  }
  return job;
}

// Each setup as the fields that differ from the job's.
void print(const sim::study::Job& job, const sim::study::PlanReport& report) {
  for (const sim::study::PlanRow& row : report.rows) {
    fmt::print("{:.2f} days, {:.0f} USD: {} nodes, {} {}\n", row.time_s / 86400, row.price.total(),
               row.chosen.nodes, row.report.scheme,
               sim::changed_fields(job.parallelism, row.chosen.parallelism));
  }
}

}  // namespace

int main() {
  try {
    const sim::study::PlanQuestion question{
        .job = read_job(),
        .nodes = {8, 16},
        .goal = {.aim = sim::study::Aim::fastest, .tokens = 3e11},
        .listing = sim::study::Listing::setups};
    print(question.job, plan(question));
  } catch (const sim::InputError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
