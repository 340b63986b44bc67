// SPDX-License-Identifier: Apache-2.0
// A simulated step as a profiler would have recorded it.
#pragma once

#include <string>

#include "sim/engine/simulate.hpp"
#include "sim/trace/trace.hpp"

namespace sim {

// The kernels of at most `ranks` simulated ranks from the first, 0 for all, as one step. A kernel
// includes its launch: the next one of its stream starts when it ends. A rank is in a collective from
// its arrival on. Kernels of layers have a class where each is an operation of its own
// (StepContext::each_kernel).
[[nodiscard]] trace::Trace simulated_trace(const Schedule& schedule, const Timeline& timeline,
                                           const std::string& device, int ranks = 0);

}  // namespace sim
