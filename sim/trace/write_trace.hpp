// SPDX-License-Identifier: Apache-2.0
// A trace as Kineto would have written it.
#pragma once

#include <string>

#include "sim/trace/trace.hpp"

namespace sim::trace {

// JSON that parse_trace() reads back, with times rounded to nanoseconds: a process for each GPU with
// a track for each stream, and one for each GPU's host, which launches the kernels and has the steps.
// A kernel whose launch is not known is launched when it starts.
[[nodiscard]] std::string to_kineto(const Trace& trace);

}  // namespace sim::trace
