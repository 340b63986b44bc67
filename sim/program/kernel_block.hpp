// SPDX-License-Identifier: Apache-2.0
// Consecutive kernels of the compute stream as one operation, and as their host issues them.
#pragma once

#include <vector>

#include "sim/program/host_issue.hpp"
#include "sim/schedule/schedule.hpp"
#include "sim/times/host.hpp"
#include "sim/times/roofline.hpp"

namespace sim {

struct KernelBlock {
  double seconds = 0;
  std::vector<KernelPart> parts;  // at least one
  HostBlock issued;
};

// Matrix products take `slowdown` times as long, and `beside_channels` more of their time while a
// collective holds any SM.
[[nodiscard]] KernelBlock kernel_block(const std::vector<BlockTime>& kernels, double slowdown,
                                       double beside_channels, const HostIssue& host);

// A kernel, as its host issues it.
[[nodiscard]] HostBlock host_block(const BlockTime& kernel, const HostIssue& host);

}  // namespace sim
