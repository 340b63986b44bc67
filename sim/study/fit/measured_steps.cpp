// SPDX-License-Identifier: Apache-2.0
#include "sim/study/fit/measured_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/report/simulated_trace.hpp"
#include "sim/study/fit/kernel_fit.hpp"
#include "sim/study/simulation.hpp"

namespace sim::study {
namespace {

using trace::KernelClass;

// Groups below this share of the kernels' time are too small to fit to.
constexpr double kLeastShare = 1e-3;

const std::vector<KernelGroup>& all_groups() {
  using enum KernelClass;
  static const std::vector<KernelGroup> groups{
      {"matrix_products", "matrix products", {product}},
      {"attention", "attention", {attention}},
      {"memory_bound",
       "norms, elementwise and others",
       {norm, softmax, loss, dropout, reduction, elementwise, embedding, index, compiled}},
      {"codec", "casts and codecs", {codec}},
      {"optimizer", "optimizer, copies and fills", {optimizer, copy}},
      {"communication",
       "communication",
       {all_reduce, all_gather, reduce_scatter, send_receive, broadcast}},
  };
  return groups;
}

double sum_of(const trace::Summary& summary, const KernelGroup& group) {
  double seconds = 0;
  for (const trace::ClassTime& one : summary.classes) {
    if (std::ranges::find(group.classes, one.value) != group.classes.end()) {
      seconds += one.with_gaps.mean;
    }
  }
  return seconds;
}

double kernels_in(const trace::Summary& summary, const KernelGroup& group) {
  double kernels = 0;
  for (const trace::ClassTime& one : summary.classes) {
    if (std::ranges::find(group.classes, one.value) != group.classes.end()) kernels += one.kernels;
  }
  return kernels;
}

// By step and GPU.
std::vector<double> samples_of(const trace::Summary& summary, const KernelGroup& group) {
  std::vector<double> samples(summary.steps);
  for (const trace::ClassTime& one : summary.classes) {
    if (std::ranges::find(group.classes, one.value) == group.classes.end()) continue;
    for (std::size_t i = 0; i < samples.size(); ++i) samples[i] += one.with_gaps.values[i];
  }
  return samples;
}

std::optional<fit::Interval> interval_of(const std::vector<double>& samples, double mean) {
  constexpr double kTwoSided95 = 1.96;
  if (samples.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(samples.size());
  double squares = 0;
  for (const double one : samples) squares += (one - mean) * (one - mean);
  const double half = kTwoSided95 * std::sqrt(squares / (count - 1) / count);
  return fit::Interval{mean - half, mean + half};
}

// The simulated ranks that stand for these.
void keep_ranks(const Schedule& schedule, std::span<const int> ranks, trace::Trace& trace) {
  if (ranks.empty()) return;
  std::erase_if(trace.kernels, [&](const trace::Kernel& kernel) {
    const std::vector<int>& alike = schedule.alike[static_cast<std::size_t>(kernel.gpu)];
    return std::ranges::none_of(
        ranks, [&](int rank) { return std::ranges::find(alike, rank) != alike.end(); });
  });
  std::vector<std::int64_t> gpus;
  for (trace::Kernel& kernel : trace.kernels) {
    const std::int64_t gpu = trace.gpus[static_cast<std::size_t>(kernel.gpu)];
    if (gpus.empty() || gpus.back() != gpu) gpus.push_back(gpu);
    kernel.gpu = static_cast<std::int32_t>(gpus.size() - 1);
  }
  trace.gpus = std::move(gpus);
}

std::vector<double> sums_of(const trace::Summary& summary, const std::vector<GroupTime>& groups) {
  std::vector<double> seconds;
  for (const GroupTime& one : groups) {
    if (one.is_fitted) seconds.push_back(sum_of(summary, *one.group));
  }
  return seconds;
}

std::vector<GroupTime> groups_of(const trace::Summary& measured, const trace::Summary& base) {
  std::vector<GroupTime> groups;
  for (const KernelGroup& group : all_groups()) {
    GroupTime one{.group = &group,
                  .measured_s = sum_of(measured, group),
                  .base_s = sum_of(base, group),
                  .kernels = kernels_in(measured, group),
                  .model_kernels = kernels_in(base, group)};
    if (one.measured_s <= 0 && one.base_s <= 0) continue;
    one.interval = interval_of(samples_of(measured, group), one.measured_s);
    one.is_fitted = one.measured_s > kLeastShare * measured.kernels_s &&
                    one.base_s > kLeastShare * base.kernels_s;
    groups.push_back(one);
  }
  return groups;
}

KernelTimes times_of(const trace::Summary& measured, const std::vector<GroupTime>& groups) {
  KernelTimes times;
  double sum_s = 0;
  for (const GroupTime& one : groups) {
    if (!one.is_fitted) continue;
    times.seconds.push_back(one.measured_s);
    sum_s += one.measured_s;
  }
  for (const double seconds : times.seconds) {
    // A floor, or the constants of short groups would count as not determined.
    constexpr double kLeastWeight = 0.1;
    times.weights.push_back(std::max(kLeastWeight, seconds / sum_s));
  }
  if (measured.steps < 2) return times;
  times.repeated.resize(measured.steps);
  for (const GroupTime& one : groups) {
    if (!one.is_fitted) continue;
    const std::vector<double> samples = samples_of(measured, *one.group);
    for (std::size_t i = 0; i < samples.size(); ++i) times.repeated[i].push_back(samples[i]);
  }
  return times;
}

std::vector<trace::ClassTime> unmodelled_in(const trace::Summary& measured,
                                            const trace::Summary& base) {
  std::vector<trace::ClassTime> classes;
  for (const trace::ClassTime& one : measured.classes) {
    const bool has_group = std::ranges::any_of(all_groups(), [&](const KernelGroup& group) {
      return std::ranges::find(group.classes, one.value) != group.classes.end() &&
             sum_of(base, group) > 0;
    });
    if (!has_group) classes.push_back(one);
  }
  return classes;
}

}  // namespace

std::span<const KernelGroup> kernel_groups() { return all_groups(); }

std::vector<double> predicted_steps(std::span<const MeasuredStep> steps,
                                    const ConstantValues& values, int jobs) {
  return in_parallel(jobs, steps.size(), [&](std::size_t i) {
    return seconds_of(with_constants(steps[i].job, values), steps[i].setup) + rest_of(values);
  });
}

MeasuredTimes timed(std::span<const MeasuredStep> steps, int jobs) {
  MeasuredTimes times;
  for (const MeasuredStep& step : steps) times.seconds.push_back(step.seconds);
  times.predicted = [=](const ConstantValues& values) {
    return predicted_steps(steps, values, jobs);
  };
  return times;
}

LikelyFit fit_steps(std::span<const MeasuredStep> steps, int jobs) {
  require(!steps.empty(), "there is a step to fit to");
  return fit_times(job_constants(), steps.front().job, timed(steps, jobs));
}

std::vector<int> ranks_of(std::span<const trace::Trace> traces) {
  std::vector<int> ranks;
  for (const trace::Trace& trace : traces) {
    if (!trace.rank) return {};
    ranks.push_back(*trace.rank);
  }
  return ranks;
}

trace::Summary simulated_summary(const Job& job, const Setup& setup, std::span<const int> ranks) {
  Job with_kernels = job;
  with_kernels.each_kernel = true;
  const Simulation simulation = simulate(with_kernels, setup);
  trace::Trace trace =
      simulated_trace(simulation.schedule, simulation.timeline, job.cluster().gpu.name);
  keep_ranks(simulation.schedule, ranks, trace);
  if (trace.kernels.empty()) {
    throw InputError("`trace`: is of a rank that the job does not have; check `nodes`");
  }
  return trace::summarize({&trace, 1});
}

std::vector<std::string> remarks_on(const TraceFit& traced) {
  // Libraries cut few products in two, and no efficiency is off by so much.
  constexpr double kMostTimesAsMany = 1.3, kMostTimesAsLong = 2;
  constexpr double kLeastIdle = 0.05;  // of the step
  const auto differ = [](double one, double other, double most) {
    return std::max(one, other) > most * std::min(one, other);
  };
  std::vector<std::string> lines;
  if (traced.measured_ranks && *traced.measured_ranks != traced.model_ranks) {
    lines.push_back(
        fmt::format("`trace`: is of a job of {} ranks, but the job has {}; check `nodes`",
                    *traced.measured_ranks, traced.model_ranks));
  }
  const auto products = std::ranges::find_if(
      traced.groups, [](const GroupTime& one) { return one.group == &all_groups().front(); });
  if (products != traced.groups.end()) {
    const GroupTime& one = *products;
    if (differ(one.kernels, one.model_kernels, kMostTimesAsMany)) {
      lines.push_back(fmt::format(
          "`trace`: has {:.0f} matrix products a step, but the job has {:.0f}; check `model`, "
          "`accumulation`, `recompute` and how the job is split",
          one.kernels, one.model_kernels));
    } else if (differ(one.measured_s, one.base_s, kMostTimesAsLong)) {
      lines.push_back(
          fmt::format("`trace`: its matrix products take {:.3g} times as long as those of the job, "
                      "which has as "
                      "many; check the sizes: `model`, `micro-batch`, `sequence` and `tp`",
                      one.measured_s / one.base_s));
    }
  }
  const double more_s = traced.measured_idle_s - traced.base_idle_s;
  if (more_s > kLeastIdle * traced.measured_step_s) {
    lines.push_back(fmt::format(
        "`trace`: no kernel runs for {:.0f} % of the step, predicted: {:.0f} %; the host issues "
        "kernels too slowly, or the step waits for data or other ranks, and no constant of kernels "
        "changes that: see `host-issue`, or fit fitted.host_slowdown to the times of whole steps",
        100 * traced.measured_idle_s / traced.measured_step_s,
        100 * traced.base_idle_s / traced.base_step_s));
  }
  return lines;
}

TraceFit compare_trace(const trace::Summary& measured, const Job& job, const Setup& setup,
                       std::span<const int> ranks) {
  const trace::Summary base = simulated_summary(job, setup, ranks);
  return {.groups = groups_of(measured, base),
          .unmodelled = unmodelled_in(measured, base),
          .measured_step_s = measured.step_s.mean,
          .base_step_s = base.step_s.mean,
          .measured_idle_s = measured.idle_s,
          .base_idle_s = base.idle_s,
          .measured_ranks = measured.job_ranks,
          .model_ranks = base.job_ranks.value()};
}

TraceFit fit_trace(const trace::Summary& measured, const Job& job, const Setup& setup,
                   std::span<const int> ranks) {
  TraceFit result = compare_trace(measured, job, setup, ranks);
  KernelTimes times = times_of(measured, result.groups);
  if (times.seconds.empty()) {
    throw InputError("`trace`: has no class of kernels in common with the job; check `model`");
  }
  times.predicted = [&](const ConstantValues& values) {
    return sums_of(simulated_summary(with_constants(job, values), setup, ranks), result.groups);
  };
  result.fit = fit_kernels(job, times);
  const trace::Summary fitted =
      simulated_summary(with_constants(job, result.fit.values()), setup, ranks);
  for (GroupTime& one : result.groups) one.fit_s = sum_of(fitted, *one.group);
  result.fit_step_s = fitted.step_s.mean;
  return result;
}

}  // namespace sim::study
