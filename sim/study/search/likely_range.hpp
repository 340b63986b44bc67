// SPDX-License-Identifier: Apache-2.0
// The range in which an answer likely lies: in eight cases of ten, as far as spreads are known.
//
// Four groups of constants are off independently of each other: how fast GPUs compute, how fast
// everything between them is, how long codecs take, and how long the host takes to issue a kernel. All
// are drawn at a time (sim/study/search/time_draws.hpp).
#pragma once

#include "sim/report/report.hpp"
#include "sim/study/job.hpp"
#include "sim/study/search/spread.hpp"
#include "sim/study/search/time_draws.hpp"

namespace sim::study {

// All but the host, whose spread is that of a setup's stack.
[[nodiscard]] Job off_by(Job job, const Off& off);

// The answer at either end; everything else stays. Four simulations. `report` is of the unchanged job.
[[nodiscard]] LikelyRange range_of(const Job& job, const Setup& setup, const Report& report,
                                   int jobs = 1);

// Of the time in the setup's `report`, to first order. No simulation.
[[nodiscard]] Sensitivity sensitivity_of(const Job& job, const Setup& setup, const Report& report);

// Whether an error of a constant is the same for both of two that are compared.
struct SharedErrors {
  bool gpus = true, network = true;
};

// The range of `ratio`, one setup's speed over another's: from how much more each group of constants
// matters to one than to the other, and from the model's own error (ratio_spread()).
[[nodiscard]] LikelyRatio range_of_ratio(double ratio, const Sensitivity& one,
                                         const Sensitivity& other, const SharedErrors& shared = {});

// The same of two reports of one job; nothing where either lacks what its time depends on, as in stores of
// older versions.
[[nodiscard]] std::optional<LikelyRatio> range_of_ratio(double ratio,
                                                        const std::optional<Sensitivity>& one,
                                                        const std::optional<Sensitivity>& other);

// Of the ratio of the GPUs' speed to the network's, where the network is faster or slower than thought.
[[nodiscard]] double speed_spread_of(const Job& job, Towards network);

}  // namespace sim::study
