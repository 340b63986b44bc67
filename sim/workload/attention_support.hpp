// SPDX-License-Identifier: Apache-2.0
// GPUs on which a kernel of fused attention does not run.
#pragma once

#include <string>

#include "sim/topology/cluster.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim {

// Why the kernel that was asked for by name does not run on the GPU; empty if it does, and for GPUs of
// unknown names.
[[nodiscard]] std::string attention_problem(const Gpu& gpu, Attention kernel);

}  // namespace sim
