// SPDX-License-Identifier: Apache-2.0
// A measured kernel's time on another GPU. A kernel takes a fixed time, however little it does, and then
// works at the rate of the memory or of the instructions, whichever is slower. What its machine code says
// of both decides where it is known (sim/times/compiled.hpp): on an H200, from an H100's times, large
// kernels are then 4.2 % off, and by the law below 5.6 %; small ones 3.1 and 3.3 %.
//
// Else only the sum of both is known, by measurement. What of it the memory needs follows from the bytes,
// and the rest is put down to instructions: t = fixed + (memory^3 + instructions^3)^(1/3). The exponent is
// a judgement between a hard maximum and a sum; on H100, the shares of issue slots and of bandwidth that
// Nsight Compute gives for 81 kernels add up with a median exponent of 3.4, quartiles 2.6 and 4.8 (looked
// at afterwards).
#pragma once

#include <optional>
#include <string>
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

// What the kernel takes however few elements: where the line through the smallest and the largest size
// begins, which is within a tenth of what lies between them for nine of ten kernels on H100. `times` must
// not be empty.
[[nodiscard]] double fixed_seconds(const std::vector<KernelTime>& times);

// The time of `elements` on the GPU of the table. Between measured sizes and above them that is
// interpolated(); below, the kernel's fixed time and its rate at the smallest size. `times` must not be
// empty.
[[nodiscard]] double timed_seconds(const std::vector<KernelTime>& times, double elements);

// The same with memory `memory_speed` times as fast, where copies of the table reached `bandwidth`.
[[nodiscard]] double timed_seconds(const std::vector<KernelTime>& times, double elements,
                                   Bandwidth bandwidth, double memory_speed);

// The time of `elements` on the other GPU, from the sizes measured on a GPU whose copies reach
// `bandwidth`. `times` must not be empty.
[[nodiscard]] double carried_over(const std::vector<KernelTime>& times, double elements,
                                  Bandwidth bandwidth, const RateRatios& ratios);

// The same by machine code: a kernel's fixed time stays, and the rest changes as the longer of its bytes
// and its instructions does. Nothing if Calibration::compiled lacks the kernel for either GPU.
[[nodiscard]] std::optional<double> carried_by_code(const Calibration& calibration, const Gpu& gpu,
                                                    const std::string& key,
                                                    const std::vector<KernelTime>& times,
                                                    double elements);

// A kernel is timed for values of 2 or 4 bytes. One of the other size moves fewer or more bytes and takes
// as many instructions: as carried_over() to a memory faster by the ratio of both. By times of FP32 values,
// encodes of BF16 ones are 7 % off on an H100 and 9 % on an H200 (means of 79 and 77 codecs at five sizes); by
// their bytes alone, 30 %, and by the times as they are, 23 and 19 % (looked at when the law was chosen).
[[nodiscard]] inline int other_value_bytes(int value_bytes) { return value_bytes == 2 ? 4 : 2; }

}  // namespace sim
