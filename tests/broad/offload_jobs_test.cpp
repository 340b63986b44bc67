// SPDX-License-Identifier: Apache-2.0
// Activations on hosts in random jobs, with experts, parts of sequences, stages and every scheme.
#include <limits>

#include "sim/schedule/least_time.hpp"
#include "sim/workload/stages.hpp"
#include "tests/broad/apart_steps.hpp"

namespace sim {
namespace {

Cluster with_host_link(double link_Bps) {
  Cluster cluster = small_cluster();
  cluster.gpu.host_bandwidth = Bandwidth::from_base(link_Bps);
  cluster.gpu.host_efficiency = 1;
  return cluster;
}

double seconds_of(const StepContext& context, const Scheme& scheme) {
  const PlannedStep step = plan_step(context, scheme);
  const double seconds = simulate(step.schedule, step.wiring).makespan_s;
  EXPECT_LE(least_time(step.schedule, step.wiring).base(), seconds * (1 + 1e-9));
  return seconds;
}

TEST(OffloadJobs, KeepTheLawsOfOffloading) {
  const Cluster cluster = with_host_link(20e9);
  const Cluster free = with_host_link(std::numeric_limits<double>::infinity());
  const Calibration calibration = roofline();
  RandomJobs jobs(cluster, 6);
  for (int i = 0; i < 32; ++i) {
    auto [model, p, scheme] = jobs.next();
    p.overlap.batches = false;
    const double usual_s = seconds_of({cluster, model, calibration, p}, *scheme);
    const double usual_bytes = memory_use(cluster, model, p).total();
    const int most = Stages(model, p).most_layers_of_a_chunk();
    p.offloaded_layers = jobs.below(2) == 0 ? kAllLayers : 1 + jobs.below(most);
    SCOPED_TRACE(scheme->name + " " + changed_fields({}, p));
    StepContext context{cluster, model, calibration, p, Detail::folded};
    const double folded_s = seconds_of(context, *scheme);
    context.whole = true;
    EXPECT_NEAR(folded_s / seconds_of(context, *scheme), 1, 1e-3);
    EXPECT_GE(folded_s, usual_s * (1 - 1e-3));
    EXPECT_NEAR(seconds_of({free, model, calibration, p}, *scheme) / usual_s, 1, 1e-3);
    EXPECT_LE(memory_use(cluster, model, p).total(), usual_bytes);
  }
}

}  // namespace
}  // namespace sim
