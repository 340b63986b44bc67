// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "sim/base/error.hpp"

namespace sim::trace {
namespace {

// The kernels of one step on one GPU.
struct StepOfGpu {
  const Trace* trace = nullptr;
  int step = -1;
  std::vector<const Kernel*> kernels;  // by start
  [[nodiscard]] double first_s() const { return kernels.front()->start_s; }
  [[nodiscard]] double last_s() const {
    double last = 0;
    for (const Kernel* kernel : kernels) last = std::max(last, kernel->end_s());
    return last;
  }
};

// Of one GPU, by step. Where there are no steps, all kernels are one.
std::vector<StepOfGpu> steps_of(const Trace& trace, std::int32_t gpu) {
  std::map<int, StepOfGpu> steps;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.gpu != gpu) continue;
    const int step = trace.steps.empty() ? 0 : kernel.step;
    if (step < 0) continue;
    StepOfGpu& one = steps[step];
    one.trace = &trace;
    one.step = step;
    one.kernels.push_back(&kernel);
  }
  std::vector<StepOfGpu> all;
  for (auto& [step, one] : steps) all.push_back(std::move(one));
  return all;
}

// A profiler that starts or stops within a step records part of it.
std::size_t leave_out_partial(std::vector<StepOfGpu>& steps) {
  constexpr double kAlmostAll = 0.9;
  if (steps.empty()) return 0;
  std::vector<std::size_t> counts;
  for (const StepOfGpu& one : steps) counts.push_back(one.kernels.size());
  std::ranges::nth_element(counts, counts.begin() + static_cast<std::ptrdiff_t>(counts.size() / 2));
  const double usual = static_cast<double>(counts[counts.size() / 2]);
  return std::erase_if(steps, [&](const StepOfGpu& one) {
    return static_cast<double>(one.kernels.size()) < kAlmostAll * usual;
  });
}

using Interval = std::pair<double, double>;

// The time of a step on a GPU.
struct Window {
  const Trace* trace = nullptr;
  std::int32_t gpu = 0;
  Interval time;
};

// Consecutive steps of a GPU, up to the first kernel of the last one, whose end is not known. Adds the
// time of each.
std::vector<Window> windows_of(const std::vector<StepOfGpu>& steps, std::vector<double>& step_s) {
  std::vector<Window> windows;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    const StepOfGpu &one = steps[i], &next = steps[i + 1];
    const Interval time{one.first_s(), next.first_s()};
    if (next.step != one.step + 1 || time.second <= time.first) continue;
    step_s.push_back(time.second - time.first);
    windows.push_back({one.trace, one.kernels.front()->gpu, time});
  }
  return windows;
}

// Of a single step: the host's time, if it waited for the GPU; else the GPU's.
Window window_alone(const StepOfGpu& one) {
  const double last_s = one.last_s();
  Window window{one.trace, one.kernels.front()->gpu, {one.first_s(), last_s}};
  if (one.trace->steps.empty()) return window;
  const Step& step = one.trace->steps[static_cast<std::size_t>(one.step)];
  if (step.end_s >= last_s) window.time = {step.start_s, step.end_s};
  return window;
}

// When kernels of a GPU run, of any step, without overlaps.
std::vector<Interval> busy_times(const Trace& trace, std::int32_t gpu, bool communicating_too) {
  std::vector<Interval> busy;
  for (const Kernel& kernel : trace.kernels) {
    if (kernel.gpu != gpu) continue;
    if (!communicating_too && row_of(trace.class_of(kernel)).communicates) continue;
    if (!busy.empty() && kernel.start_s <= busy.back().second) {
      busy.back().second = std::max(busy.back().second, kernel.end_s());
    } else {
      busy.emplace_back(kernel.start_s, kernel.end_s());
    }
  }
  return busy;
}

double covered_s(const std::vector<Interval>& busy, const Interval& time) {
  double covered = 0;
  for (auto one = std::ranges::lower_bound(busy, time.first, {}, &Interval::second);
       one != busy.end() && one->first < time.second; ++one) {
    covered += std::min(one->second, time.second) - std::max(one->first, time.first);
  }
  return covered;
}

// Windows of a GPU follow each other. A kernel counts in the step whose time it takes, which may be
// the one after the step that launched it.
void add_parts(const std::vector<Window>& windows, Summary& summary) {
  const auto steps = static_cast<double>(windows.size());
  double busy_s = 0, compute_s = 0;
  std::vector<Interval> all, compute;
  const Window* before = nullptr;
  for (const Window& window : windows) {
    if (before == nullptr || before->trace != window.trace || before->gpu != window.gpu) {
      all = busy_times(*window.trace, window.gpu, true);
      compute = busy_times(*window.trace, window.gpu, false);
    }
    before = &window;
    busy_s += covered_s(all, window.time);
    compute_s += covered_s(compute, window.time);
  }
  summary.compute_s = compute_s / steps;
  summary.exposed_s = (busy_s - compute_s) / steps;
  summary.idle_s = std::max(0.0, summary.step_s.mean - busy_s / steps);
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void check_one_job(std::span<const Trace> traces) {
  std::set<int> ranks;
  for (const Trace& trace : traces) {
    if (trace.rank && !ranks.insert(*trace.rank).second) {
      throw InputError(fmt::format("{}: is of rank {}, as another trace is; give each rank once",
                                   trace.file, *trace.rank));
    }
    if (trace.device != traces.front().device) {
      throw InputError(fmt::format("{}: is of a {}, and {} of a {}; give traces of one job",
                                   trace.file, trace.device, traces.front().file,
                                   traces.front().device));
    }
  }
}

// As the traces agree on, those that say it.
std::optional<int> ranks_of_job(std::span<const Trace> traces) {
  const Trace* said = nullptr;
  for (const Trace& trace : traces) {
    if (!trace.ranks) continue;
    if (said == nullptr) said = &trace;
    if (trace.ranks == said->ranks) continue;
    throw InputError(
        fmt::format("{}: is of a job of {} ranks, and {} of one of {}; give traces of one "
                    "job",
                    trace.file, *trace.ranks, said->file, *said->ranks));
  }
  return said == nullptr ? std::nullopt : said->ranks;
}

class Summed {
 public:
  explicit Summed(const std::vector<StepOfGpu>& steps)
      : steps_(steps), count_(static_cast<double>(steps.size())) {
    for (std::size_t i = 0; i < steps.size(); ++i) add(i);
  }

  void into(Summary& summary) const {
    for (const KernelClassRow& row : kernel_classes()) {
      const auto& values = by_class_[static_cast<std::size_t>(row.value)];
      const double kernels = kernels_[static_cast<std::size_t>(row.value)] / count_;
      if (kernels == 0) continue;
      const auto& with_gaps = with_gaps_[static_cast<std::size_t>(row.value)];
      summary.classes.push_back(
          {row.value, {mean_of(values), values}, {mean_of(with_gaps), with_gaps}, kernels});
      summary.kernels_s += summary.classes.back().seconds.mean;
    }
    std::ranges::stable_sort(summary.classes, std::greater(),
                             [](const ClassTime& one) { return one.seconds.mean; });
    for (const auto& [name, one] : by_name_) {
      summary.names.push_back({name, one.value, one.seconds / count_, one.kernels / count_});
    }
    std::ranges::stable_sort(summary.names, std::greater(), &NameTime::seconds);
  }

 private:
  void add(std::size_t i) {
    std::map<std::int64_t, const Kernel*> last;  // by stream
    for (const Kernel* kernel : steps_[i].kernels) {
      const KernelName& name = steps_[i].trace->names[kernel->name];
      const auto value = static_cast<std::size_t>(name.value);
      by_class_[value].resize(steps_.size());
      by_class_[value][i] += kernel->duration_s;
      with_gaps_[value].resize(steps_.size());
      with_gaps_[value][i] += kernel->duration_s;
      const Kernel*& before = last[kernel->stream];
      if (before != nullptr) add_gap(i, *before, *kernel);
      before = kernel;
      kernels_[value] += 1;
      NameTime& named = by_name_[name.text];
      named.value = name.value;
      named.seconds += kernel->duration_s;
      named.kernels += 1;
    }
  }

  void add_gap(std::size_t i, const Kernel& before, const Kernel& kernel) {
    const double gap_s = kernel.start_s - before.end_s();
    if (gap_s <= 0 || gap_s > kMostGap_s) return;
    with_gaps_[static_cast<std::size_t>(steps_[i].trace->class_of(before))][i] += gap_s;
  }

  const std::vector<StepOfGpu>& steps_;
  double count_ = 0;
  std::vector<double> by_class_[kKernelClasses], with_gaps_[kKernelClasses];
  double kernels_[kKernelClasses] = {};
  std::map<std::string, NameTime> by_name_;
};

}  // namespace

double Summary::seconds_of(KernelClass value) const {
  const auto one = std::ranges::find(classes, value, &ClassTime::value);
  return one == classes.end() ? 0 : one->seconds.mean;
}

Summary summarize(std::span<const Trace> traces) {
  require(!traces.empty(), "there is a trace to summarise");
  check_one_job(traces);
  Summary summary;
  summary.device = traces.front().device;
  summary.job_ranks = ranks_of_job(traces);
  std::vector<StepOfGpu> all;
  std::vector<Window> windows;
  for (const Trace& trace : traces) {
    summary.overlapping += trace.overlapping;
    for (std::size_t gpu = 0; gpu < trace.gpus.size(); ++gpu) {
      ++summary.gpus;
      std::vector<StepOfGpu> steps = steps_of(trace, static_cast<std::int32_t>(gpu));
      summary.left_out += leave_out_partial(steps);
      const std::vector<Window> whole = windows_of(steps, summary.step_s.values);
      windows.insert(windows.end(), whole.begin(), whole.end());
      all.insert(all.end(), steps.begin(), steps.end());
    }
  }
  if (all.empty()) {
    throw InputError(traces.front().file +
                     ": none of its kernels is of a step; profile whole steps");
  }
  if (windows.empty()) {
    for (const StepOfGpu& one : all) {
      const Window& window = windows.emplace_back(window_alone(one));
      summary.step_s.values.push_back(window.time.second - window.time.first);
    }
  }
  summary.step_s.mean = mean_of(summary.step_s.values);
  summary.steps = all.size();
  add_parts(windows, summary);
  Summed(all).into(summary);
  return summary;
}

}  // namespace sim::trace
