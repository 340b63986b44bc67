// SPDX-License-Identifier: Apache-2.0
// How far GPUs that differ in speed slow a pipeline down, at least.
#pragma once

#include "sim/topology/cluster.hpp"
#include "sim/workload/parallelism.hpp"

namespace sim::study {

// Times of matrix products relative to a mean GPU (sim/topology/gpu_speeds.hpp).
struct StageSlowdowns {
  double stage = 1;    // the least, over the stages, of that of a stage's slowest GPU
  double fastest = 1;  // of all GPUs
};
[[nodiscard]] StageSlowdowns stage_slowdowns(const Cluster& cluster,
                                             const Parallelism& parallelism);

}  // namespace sim::study
