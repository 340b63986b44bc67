// SPDX-License-Identifier: Apache-2.0
// A step of every rank, those that do the same too.
#pragma once

#include "sim/program/plan_step.hpp"

namespace sim {

inline Schedule whole_step(StepContext context, const Scheme& scheme) {
  context.whole = true;
  return plan_step(context, scheme).schedule;
}

}  // namespace sim
