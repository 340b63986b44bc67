// SPDX-License-Identifier: Apache-2.0
// The two-level reduction of gradients (SDP4Bit, arXiv 2410.15526, section 3.2; ZeRO++'s qgZ, arXiv
// 2306.10209, section 3.3), slice by slice: inside the node, sum and encode again, between nodes,
// sum. A slice's kernels and legs depend on its own data; two slices compete only for a
// communicator or the GPU.
#pragma once

#include "sim/schemes/step.hpp"

namespace sim {

// Reduces `parameters` gradients from the compute stream's current position on.
void reduce_on_two_levels(Step& step, const DataGroup& group, double parameters);

}  // namespace sim
