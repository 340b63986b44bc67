// SPDX-License-Identifier: Apache-2.0
#include "sim/times/extrapolation.hpp"

#include <algorithm>
#include <cmath>

#include "sim/times/calibration_rows.hpp"
#include "sim/times/compiled.hpp"

namespace sim {
namespace {

constexpr double kExponent = 3;

// Of a kernel that was timed at one size: the median of those on H100 that were timed at more.
constexpr double kUsualFixed_s = 3.4e-6;

double rooted(double sum) { return std::pow(std::max(0.0, sum), 1 / kExponent); }

}  // namespace

double fixed_seconds(const std::vector<KernelTime>& times) {
  const KernelTime &small = times.front(), &large = times.back();
  if (times.size() < 2) return std::min(kUsualFixed_s, small.seconds / 2);
  const double slope = (large.seconds - small.seconds) / (large.elements - small.elements);
  return std::clamp(small.seconds - slope * small.elements, 0.0, small.seconds);
}

RateRatios ratios_to(const Gpu& gpu, const Calibration& from) {
  const double memory = scale(from, gpu) / scale(from);
  return {
      .memory = memory,
      .instructions = from.multiprocessors ? gpu.multiprocessors / *from.multiprocessors : memory};
}

double timed_seconds(const std::vector<KernelTime>& times, double elements) {
  const KernelTime& small = times.front();
  if (elements >= small.elements) return interpolated(times, elements);
  const double fixed_s = fixed_seconds(times);
  return fixed_s + (small.seconds - fixed_s) * elements / small.elements;
}

double carried_over(const std::vector<KernelTime>& times, double elements, Bandwidth bandwidth,
                    const RateRatios& ratios) {
  const double fixed_s = fixed_seconds(times);
  const double works_s = std::max(0.0, timed_seconds(times, elements) - fixed_s);
  const double bytes = times.back().moved_bytes / times.back().elements * elements;
  const double memory = std::min(works_s, bytes / bandwidth.base());
  const double instructions = rooted(std::pow(works_s, kExponent) - std::pow(memory, kExponent));
  return fixed_s + rooted(std::pow(memory / ratios.memory, kExponent) +
                          std::pow(instructions / ratios.instructions, kExponent));
}

double timed_seconds(const std::vector<KernelTime>& times, double elements, Bandwidth bandwidth,
                     double memory_speed) {
  if (memory_speed == 1) return timed_seconds(times, elements);
  return carried_over(times, elements, bandwidth, {.memory = memory_speed, .instructions = 1});
}

std::optional<double> carried_by_code(const Calibration& calibration, const Gpu& gpu,
                                      const std::string& key, const std::vector<KernelTime>& times,
                                      double elements) {
  const CompiledKernels *here = calibration.compiled.get(),
                        *there = calibration.compiled_there.get();
  if (here == nullptr || there == nullptr || !calibration.multiprocessors) return std::nullopt;
  const CompiledKernel *kernel = here->find(key), *other = there->find(key);
  if (kernel == nullptr || other == nullptr) return std::nullopt;
  const double bytes = times.back().moved_bytes / times.back().elements * elements;
  const GpuRates measured{.multiprocessors = *calibration.multiprocessors,
                          .clock_hz = there->clock_hz,
                          .copies = scale(calibration)};
  const double change = compiled_time(*kernel, rates_of(*here, gpu), elements, bytes).works_s() /
                        compiled_time(*other, measured, elements, bytes).works_s();
  const double fixed_s = fixed_seconds(times);
  return fixed_s + std::max(0.0, timed_seconds(times, elements) - fixed_s) * change;
}

}  // namespace sim
