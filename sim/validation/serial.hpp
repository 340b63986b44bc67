// SPDX-License-Identifier: Apache-2.0
// Steps by arithmetic, without simulation: what a careful spreadsheet answers. Nothing overlaps,
// nothing waits and nothing has a latency.
#pragma once

#include "sim/program/plan_step.hpp"

namespace sim::validation {

// The bytes of a phase over the bandwidth of its levels; a cap on communicators is kept.
[[nodiscard]] double phase_seconds(const StepContext& context, const Scheme& scheme,
                                   const Schedule& schedule, Phase phase);
// Of gradients, weights, tensor and pipeline parallelism, one after the other.
[[nodiscard]] double communication_seconds(const StepContext& context, const Scheme& scheme,
                                           const Schedule& schedule);

// The kernels of the busiest GPU, with all times and efficiencies that the simulation has, plus the
// pipeline's bubble, (stages - 1) / (micro-batches x virtual stages) of its passes, plus
// communication_seconds().
[[nodiscard]] double serial_seconds(const StepContext& context, const Scheme& scheme);

}  // namespace sim::validation
