// SPDX-License-Identifier: Apache-2.0
#include "sim/times/extrapolation.hpp"

#include <algorithm>
#include <cmath>

#include "sim/times/calibration_rows.hpp"

namespace sim {
namespace {

constexpr double kExponent = 3;

// Where the line through the smallest and the largest size begins: it is within a tenth of what lies
// between them for nine of ten kernels on H100. Of one size nothing is known.
double fixed_seconds(const std::vector<KernelTime>& times) {
  const KernelTime &small = times.front(), &large = times.back();
  if (times.size() < 2) return 0;
  const double slope = (large.seconds - small.seconds) / (large.elements - small.elements);
  return std::clamp(small.seconds - slope * small.elements, 0.0, small.seconds);
}

double rooted(double sum) { return std::pow(std::max(0.0, sum), 1 / kExponent); }

}  // namespace

RateRatios ratios_to(const Gpu& gpu, const Calibration& from) {
  const double memory = scale(from, gpu) / scale(from);
  return {
      .memory = memory,
      .instructions = from.multiprocessors ? gpu.multiprocessors / *from.multiprocessors : memory};
}

double carried_over(const std::vector<KernelTime>& times, double elements, Bandwidth bandwidth,
                    const RateRatios& ratios) {
  const double fixed_s = fixed_seconds(times);
  const double works_s = std::max(0.0, interpolated(times, elements) - fixed_s);
  const double bytes = times.back().moved_bytes / times.back().elements * elements;
  const double memory = std::min(works_s, bytes / bandwidth.base());
  const double instructions = rooted(std::pow(works_s, kExponent) - std::pow(memory, kExponent));
  return fixed_s + rooted(std::pow(memory / ratios.memory, kExponent) +
                          std::pow(instructions / ratios.instructions, kExponent));
}

}  // namespace sim
