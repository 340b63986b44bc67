// SPDX-License-Identifier: Apache-2.0
// Constants of a job's cluster from one's own measured steps: times of whole steps, or the kernels of
// a profiled one.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/study/fit/fitted_constants.hpp"
#include "sim/study/fit/likely_fit.hpp"
#include "sim/trace/summary.hpp"

namespace sim::study {

struct MeasuredStep {
  std::string name;
  Job job;
  Setup setup;
  double seconds = 0;
};

// Predicted, by row.
[[nodiscard]] std::vector<double> predicted_steps(std::span<const MeasuredStep> steps,
                                                  const ConstantValues& values, int jobs);
// Their times for a fit. `steps` must outlive it.
[[nodiscard]] MeasuredTimes timed(std::span<const MeasuredStep> steps, int jobs);
// All rows' jobs are of one cluster, that of the first.
[[nodiscard]] LikelyFit fit_steps(std::span<const MeasuredStep> steps, int jobs);

// One simulated step as a trace's steps are summed: each kernel an operation of its own; of the ranks
// that were traced, if the traces say which (empty: of all).
[[nodiscard]] trace::Summary simulated_summary(const Job& job, const Setup& setup,
                                               std::span<const int> ranks);
// The ranks that the traces name; empty if one of them does not.
[[nodiscard]] std::vector<int> ranks_of(std::span<const trace::Trace> traces);

// Classes of kernels that are compared: how libraries cut what is bound by memory bandwidth into
// kernels, and what these are called, varies too much to compare them one by one.
struct KernelGroup {
  std::string_view name;  // "memory_bound"
  std::string_view text;
  std::vector<trace::KernelClass> classes;
};
[[nodiscard]] std::span<const KernelGroup> kernel_groups();

// Of one step and GPU, with the gaps up to the next kernel.
struct GroupTime {
  const KernelGroup* group = nullptr;
  double measured_s = 0, base_s = 0, fit_s = 0;
  double kernels = 0, model_kernels = 0;
  std::optional<fit::Interval> interval;  // of the measured mean, of 95 %
  bool is_fitted = false;                 // both have it, and it takes long enough
};

struct TraceFit {
  ComputeFit fit;  // of the groups that are fitted
  std::vector<GroupTime> groups;
  std::vector<trace::ClassTime> unmodelled;  // classes that the trace has and the model has not
  double measured_step_s = 0, base_step_s = 0, fit_step_s = 0;
  double measured_idle_s = 0, base_idle_s = 0;  // no kernel runs
  std::optional<int> measured_ranks;            // of the traced job, if the trace says so
  int model_ranks = 0;
};

// Why the trace may be of another job, by its numbers of ranks and of products and their time; and that GPUs wait
// longer than predicted, which no constant of kernels explains. A sentence each.
[[nodiscard]] std::vector<std::string> remarks_on(const TraceFit& traced);

// The groups as the base predicts them, without a fit.
[[nodiscard]] TraceFit compare_trace(const trace::Summary& measured, const Job& job,
                                     const Setup& setup, std::span<const int> ranks);
[[nodiscard]] TraceFit fit_trace(const trace::Summary& measured, const Job& job, const Setup& setup,
                                 std::span<const int> ranks);

}  // namespace sim::study
