// SPDX-License-Identifier: Apache-2.0
// A lower bound of a schedule's time, without playing it: for searches that simulate only the
// candidates for the fastest.
#pragma once

#include "sim/base/units.hpp"
#include "sim/schedule/schedule.hpp"
#include "sim/schedule/wiring.hpp"

namespace sim {

// The part of a simulated time that the engine may round off: SimGrid rounds the shares of a link
// to 1e-5.
inline constexpr double kRounded = 1e-4;

// At most the time that simulate() reports, however links and GPUs are shared. The longest of:
//
//   the longest path    An operation begins when those that it depends on have ended, and lasts at
//                       least as long as alone: a kernel its seconds, a flow its latency, and its
//                       bytes at the pace of the narrowest link of its route.
//   each GPU's kernels  n kernels on a GPU each run at most 1/n as fast, so all of them take the
//                       sum of their seconds at least. None begins before the shortest of their
//                       longest paths from the start, and after the last one comes at least the
//                       shortest of their longest paths to the end.
//   each link's bytes   The same, of bytes over the link's rate; where that changes, its highest.
//
// Periods that the schedule leaves out count as work of GPUs and links, and lengthen the paths through
// a stage's compute stream by what leads from one period to the next there.
//
// Less kRounded. Linear in the schedule.
[[nodiscard]] Seconds least_time(const Schedule& schedule, const Wiring& wiring);

}  // namespace sim
