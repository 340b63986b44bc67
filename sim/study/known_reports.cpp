// SPDX-License-Identifier: Apache-2.0
#include "sim/study/known_reports.hpp"

#include <utility>

#include "sim/study/simulation.hpp"

namespace sim::study {

std::shared_ptr<const KnownReports::Known> KnownReports::of(const Job& job, const Setup& setup) {
  const StepContext on = job.context(setup);
  Step step{on.cluster,     on.model, on.calibration,      on.parallelism, on.detail,
            on.each_kernel, on.whole, on.each_micro_batch, setup.scheme};
  auto found = last_.find([&](const KnownStep& one) { return one.step == step; });
  if (found == nullptr) {
    Simulation simulated = simulate(job, setup);
    Known known{std::move(simulated.report), simulated.schedule.operations.size()};
    found = std::make_shared<const KnownStep>(KnownStep{std::move(step), std::move(known)});
    last_.add(found, 1);
  }
  return {found, &found->known};
}

}  // namespace sim::study
