// SPDX-License-Identifier: Apache-2.0
#include "sim/times/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/times/calibration_rows.hpp"
#include "sim/times/compiled.hpp"
#include "sim/times/extrapolation.hpp"

namespace sim {
namespace {

// The time for a size, linear between measured sizes in the logarithm of both.
template <typename Time>
double interpolate(const std::vector<Time>& times, double Time::*size, double wanted) {
  const auto above = std::ranges::find_if(
      times, [&](double one) { return one >= wanted; }, size);
  // Below the smallest size launch overhead dominates; above the largest the rate has settled.
  if (above == times.begin()) return above->seconds;
  if (above == times.end()) return times.back().seconds * wanted / (times.back().*size);
  const Time& low = *std::prev(above);
  const double share = std::log(wanted / (low.*size)) / std::log((*above).*size / (low.*size));
  return low.seconds * std::pow(above->seconds / low.seconds, share);
}

// How far the slope of times over sizes, both in logarithms, may be from 0 where launches dominate
// and from 1 where the rate has settled. Beyond such an end, ten times the size is off by a quarter.
constexpr double kSettled = 0.1;

// From the end of the kernel before to the first bytes, and from the last bytes to the end; and for
// each further wire that a kernel sums: medians over the kernels on H100, less its launch latency, of
// which they are these multiples.
constexpr double kRamp = 0.7, kRampOfWire = 0.075;

// A row of the table, whose kernel moved `fewer` times the bytes that the wanted one moves.
KernelEstimate from_table(const Calibration& calibration, const Gpu& gpu, const std::string& key,
                          const std::vector<KernelTime>& times, double elements, double fewer = 1) {
  if (calibration.gpu == gpu.name) {
    return {
        timed_seconds(times, elements, scale(calibration), fewer * memory_speed(calibration, gpu)),
        fmt::format("{} on {} ({})", origin_of_times(calibration), gpu.name, calibration.name),
        sizes_of(times), fixed_seconds(times)};
  }
  const auto by_code = fewer == 1 ? carried_by_code(calibration, gpu, key, times, elements)
                                  : std::optional<double>{};
  if (by_code) {
    const bool same =
        calibration.compiled->architecture == calibration.compiled_there->architecture;
    return {*by_code,
            fmt::format("compiled for {}, from times measured on {} ({}), give or take {:.0f} %",
                        calibration.compiled->architecture, calibration.gpu, calibration.name,
                        100 * (same ? kCompiledSpread : kOtherCodeSpread)),
            sizes_of(times), fixed_seconds(times)};
  }
  RateRatios ratios = ratios_to(gpu, calibration);
  ratios.memory *= fewer;
  return {
      carried_over(times, elements, scale(calibration), ratios),
      fmt::format("extrapolated by memory bandwidth{} from {} ({})",
                  calibration.multiprocessors ? " and SMs" : "", calibration.gpu, calibration.name),
      sizes_of(times), fixed_seconds(times)};
}

// Of a kernel that no table has.
KernelEstimate untimed(const Calibration& calibration, const Gpu& gpu,
                       const codecs::Traffic& traffic, double elements, int inputs = 1) {
  KernelEstimate time =
      time_of_bytes(calibration, gpu, (traffic.read + traffic.written) * elements, inputs);
  if (traffic.instructions > 0) {
    time.seconds += seconds_of_instructions(gpu, traffic.instructions * elements);
    time.source += ", and instructions";
  }
  return time;
}

std::string key_of(const codecs::KernelShape& shape) {
  const bool requantizes = shape.operation == codecs::Operation::decode_reduce_encode;
  return kernel_key(shape, codecs::format_name(shape.wire),
                    requantizes ? codecs::format_name(shape.wire_out) : std::string());
}

// Of a kernel that the table has for values of the other size alone.
std::optional<KernelEstimate> of_other_values(const Calibration& calibration, const Gpu& gpu,
                                              const KernelUse& use) {
  codecs::KernelShape timed = use.shape;
  timed.value_bytes = other_value_bytes(timed.value_bytes);
  const std::string key = key_of(timed);
  const auto found = calibration.kernels->find(key);
  if (found == calibration.kernels->end() || !codecs::is_fused(timed)) return std::nullopt;
  KernelEstimate time = from_table(calibration, gpu, key, found->second, use.elements,
                                   moved_bytes(timed) / moved_bytes(use.shape));
  time.source += fmt::format(", by times of {}-byte values", timed.value_bytes);
  return time;
}

// Of a kernel that no table has, but whose machine code was counted.
std::optional<KernelEstimate> counted(const Calibration& calibration, const Gpu& gpu,
                                      const std::string& key, double moved_bytes, double elements) {
  const CompiledKernels* code = calibration.compiled.get();
  const CompiledKernel* kernel = code == nullptr ? nullptr : code->find(key);
  if (kernel == nullptr) return std::nullopt;
  const CompiledTime time = compiled_time(*kernel, rates_of(*code, gpu), elements, moved_bytes);
  return KernelEstimate{time.seconds(),
                        fmt::format("compiled for {}, by its instructions and bytes, give or take "
                                    "{:.0f} %",
                                    code->architecture, 100 * kOtherCodeSpread),
                        {},
                        time.fixed_s};
}

// " (an encode, a decode and 2 memory passes)".
std::string text_of(const codecs::Composition& parts) {
  std::string text;
  for (const codecs::KernelShape& kernel : parts.kernels) {
    const std::string_view name = name_of(kernel.operation);
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", name.front() == 'e' ? "an" : "a", name);
  }
  const std::size_t passes = parts.passes.size();
  return fmt::format(" ({} and {} memory {})", text, passes == 1 ? "a" : std::to_string(passes),
                     passes == 1 ? "pass" : "passes");
}

// Its parts, one after the other.
KernelEstimate composed_time(const Calibration& calibration, const Gpu& gpu, const KernelUse& use) {
  const codecs::Composition parts = codecs::composed(use.shape);
  KernelEstimate sum;
  const auto add = [&](const KernelEstimate& part) {
    sum.seconds += part.seconds;
    sum.fixed_s += part.fixed_s;
    if (part.sizes.excess(use.elements) > sum.sizes.excess(use.elements)) sum.sizes = part.sizes;
    if (sum.source.find(part.source) != std::string::npos) return;
    sum.source += (sum.source.empty() ? "" : "; ") + part.source;
  };
  for (const codecs::KernelShape& kernel : parts.kernels) {
    add(kernel_time(calibration, gpu, {kernel, use.elements}));
  }
  for (const codecs::Traffic& pass : parts.passes) {
    add(slowed(untimed(calibration, gpu, pass, use.elements), calibration));
  }
  sum.source += text_of(parts);
  return sum;
}

}  // namespace

double seconds_of_bytes(const Gpu& gpu, Bandwidth rate, double bytes, int inputs) {
  return gpu.launch_latency.base() * (1 + kRamp + kRampOfWire * (inputs - 1)) + bytes / rate.base();
}

KernelEstimate time_of_bytes(const Calibration& calibration, const Gpu& gpu, double bytes,
                             int inputs) {
  const bool table = calibration.memory_share > 0;
  const Bandwidth rate = table ? scale(calibration, gpu) * calibration.memory_share
                               : gpu.memory_bandwidth * gpu.memory_efficiency;
  return {seconds_of_bytes(gpu, rate, bytes, inputs),
          table ? fmt::format("roofline: bytes over {:.0f} % of {}, as {} reaches",
                              100 * calibration.memory_share,
                              calibration.copy_bandwidth ? "a copy's rate" : "memory bandwidth",
                              calibration.name)
                : "roofline: bytes over memory bandwidth",
          {},
          seconds_of_bytes(gpu, rate, 0, inputs)};
}

double memory_speed(const Calibration& calibration, const Gpu& gpu) {
  const bool is_its = calibration.gpu == gpu.name && calibration.memory_bandwidth > Bandwidth{};
  return is_its ? gpu.memory_bandwidth / calibration.memory_bandwidth : 1;
}

Gpu as_measured(Gpu gpu, const Calibration& calibration) {
  if (calibration.gpu != gpu.name) return gpu;
  if (calibration.copy_bandwidth) {
    const double speed = memory_speed(calibration, gpu);
    gpu.memory_efficiency =
        std::min(1.0, *calibration.copy_bandwidth / gpu.memory_bandwidth * speed);
  }
  if (calibration.launch_latency) gpu.launch_latency = *calibration.launch_latency;
  return gpu;
}

KernelEstimate slowed(KernelEstimate estimate, const Calibration& calibration) {
  if (calibration.codec_slowdown == 1) return estimate;
  estimate.seconds *= calibration.codec_slowdown;
  estimate.fixed_s *= calibration.codec_slowdown;
  estimate.source += fmt::format(", times {:.4g}", calibration.codec_slowdown);
  return estimate;
}

std::string_view origin_of_times(const Calibration& calibration) {
  if (calibration.kind == "published") return "published measurements";
  return calibration.kind;
}

Calibration roofline() { return {.name = "roofline", .gpu = "", .kind = "roofline", .source = ""}; }

double interpolated(const std::vector<KernelTime>& times, double elements) {
  return interpolate(times, &KernelTime::elements, elements);
}

MeasuredSizes sizes_of(const std::vector<KernelTime>& times) {
  MeasuredSizes sizes{.smallest = times.front().elements, .largest = times.back().elements};
  if (times.size() < 2) return sizes;
  const auto slope = [](const KernelTime& low, const KernelTime& high) {
    return std::log(high.seconds / low.seconds) / std::log(high.elements / low.elements);
  };
  sizes.settled_below = slope(times[0], times[1]) <= kSettled;
  sizes.settled_above = slope(times[times.size() - 2], times.back()) >= 1 - kSettled;
  return sizes;
}

double MeasuredSizes::excess(double elements) const {
  if (smallest == 0 || elements <= 0) return 1;
  return std::max(
      {1.0, settled_below ? 1.0 : smallest / elements, settled_above ? 1.0 : elements / largest});
}

KernelEstimate kernel_time(const Calibration& calibration, const Gpu& gpu, const KernelUse& use) {
  if (use.elements <= 0) return {};
  const std::string key = key_of(use.shape);
  const auto found = calibration.kernels->find(key);
  if (found != calibration.kernels->end()) {
    return slowed(from_table(calibration, gpu, key, found->second, use.elements), calibration);
  }
  if (!codecs::is_fused(use.shape)) return composed_time(calibration, gpu, use);
  if (const auto other = of_other_values(calibration, gpu, use)) return slowed(*other, calibration);
  const auto by_code =
      counted(calibration, gpu, key, moved_bytes(use.shape) * use.elements, use.elements);
  return slowed(by_code ? *by_code
                        : untimed(calibration, gpu, codecs::memory_traffic(use.shape), use.elements,
                                  use.shape.inputs),
                calibration);
}

KernelEstimate step_time(const Calibration& calibration, const Gpu& gpu,
                         const codecs::MethodStep& step, const codecs::StepShape& shape) {
  if (shape.elements == 0) return {};
  const std::string key = step_key(step, shape);
  const auto elements = static_cast<double>(shape.elements);
  const auto found = calibration.methods->find(key);
  if (found != calibration.methods->end()) {
    return slowed(from_table(calibration, gpu, key, found->second, elements), calibration);
  }
  const double bytes = step.moved_bytes(shape);
  const auto by_code = counted(calibration, gpu, key, bytes, elements);
  return slowed(by_code ? *by_code : time_of_bytes(calibration, gpu, bytes), calibration);
}

std::optional<double> pass_time(const Calibration& calibration, const Gpu& gpu, Pass pass,
                                double moved_bytes) {
  const auto found = calibration.passes.find(pass);
  if (calibration.gpu != gpu.name || found == calibration.passes.end()) return std::nullopt;
  if (moved_bytes <= 0) return 0;
  return interpolate(found->second, &PassTime::moved_bytes, moved_bytes) /
         memory_speed(calibration, gpu);
}

double least_pass_time(const Calibration& calibration, const Gpu& gpu, double moved_bytes,
                       double unmeasured) {
  if (calibration.gpu != gpu.name) return unmeasured;
  double least = unmeasured;
  for (const auto& [pass, times] : calibration.passes) {
    for (const PassTime& one : times) {
      least = std::min(
          least, moved_bytes * (one.seconds / one.moved_bytes) / memory_speed(calibration, gpu));
    }
  }
  return least;
}

}  // namespace sim
