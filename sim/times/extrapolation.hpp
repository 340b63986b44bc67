// SPDX-License-Identifier: Apache-2.0
// A measured kernel's time on another GPU. A kernel takes a fixed time, however little it does, and then
// works at the rate of the memory or of the instructions, whichever is slower. Of the two only their
// sum is measured, so what of it the memory needs is known from the bytes, and the rest is put down to
// instructions: t = fixed + (memory^3 + instructions^3)^(1/3). The exponent is a judgement between a
// hard maximum and a sum; on H100, the shares of issue slots and of bandwidth that Nsight Compute gives
// for 81 kernels add up with a median exponent of 3.4, quartiles 2.6 and 4.8 (looked at afterwards).
#pragma once

#include <vector>

#include "sim/times/calibration.hpp"

namespace sim {

// Rates of one GPU over those of the other.
struct RateRatios {
  double memory = 1;        // copies' bandwidths
  double instructions = 1;  // numbers of SMs; clocks are taken as alike
};

// Of a GPU over the table's. A table that does not say how many SMs its GPU has lets memory stand for
// both.
[[nodiscard]] RateRatios ratios_to(const Gpu& gpu, const Calibration& from);

// The time of `elements` on the GPU of the table. Between measured sizes and above them that is
// interpolated(); below, the kernel's fixed time and its rate at the smallest size. `times` must not be
// empty.
[[nodiscard]] double timed_seconds(const std::vector<KernelTime>& times, double elements);

// The time of `elements` on the other GPU, from the sizes measured on a GPU whose copies reach
// `bandwidth`. `times` must not be empty.
[[nodiscard]] double carried_over(const std::vector<KernelTime>& times, double elements,
                                  Bandwidth bandwidth, const RateRatios& ratios);

}  // namespace sim
