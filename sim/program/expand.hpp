// SPDX-License-Identifier: Apache-2.0
// expand(): a program as a schedule: every instruction on every rank of its stage, every collective
// over the groups that the layout gives, along routes of the topology.
#pragma once

#include "sim/collectives/algorithm.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/program/program.hpp"

namespace sim {

// `context` is that of lay_out(); of its parallelism, the layout is what counts here. Of folded
// collectives, alike ranks are expanded once, unless `context.whole`. Where GPUs differ in speed,
// alike ranks are as slow as the slowest of the job, for which all of them wait at the next collective.
[[nodiscard]] PlannedStep expand(const Program& program, const StepContext& context, Detail detail);

}  // namespace sim
