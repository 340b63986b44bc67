// SPDX-License-Identifier: Apache-2.0
// A simulated step and its report, for the tests of reports.
#pragma once

#include <string>
#include <vector>

#include "sim/report/report.hpp"
#include "tests/schedule/whole_step.hpp"
#include "tests/schemes/sample_step.hpp"

namespace sim {

struct ReportedStep {
  Schedule schedule;
  Wiring wiring;
  Timeline timeline;
  Report report;
};

// At the stage of ZeRO that is asked for, or the one that the scheme is defined for.
inline ReportedStep reported_step(const Cluster& cluster, const Parallelism& parallelism,
                                  const Scheme& scheme, Detail detail = Detail::folded) {
  const Model model = deep_model();
  const Calibration calibration = roofline();
  const StepContext context{cluster, model, calibration, defined(scheme, parallelism), detail};
  ReportedStep step{
      .schedule = whole_step(context, scheme), .wiring = {}, .timeline = {}, .report = {}};
  step.wiring = wire(step.schedule, cluster);
  step.timeline = simulate(step.schedule, step.wiring);
  step.report = summarize(context, scheme, step.schedule, step.wiring, step.timeline);
  return step;
}

// Plain, overlapped, and with every kind of communication.
inline std::vector<Parallelism> reported_settings() {
  return {{},
          {.overlap = kOverlapAll, .bucket = 8_MiB},
          {.tensor = 2, .optimizer = Optimizer::muon},
          {.tensor = 2, .pipeline = 2, .accumulation = 3, .overlap = kOverlapAll}};
}

// One report of every row of the registry.
inline std::vector<Report> all_reports() {
  std::vector<Report> reports;
  for (const Scheme* scheme : all_schemes(SchemeKind::inside)) {
    reports.push_back(reported_step(small_cluster(), {}, *scheme).report);
  }
  return reports;
}

}  // namespace sim
