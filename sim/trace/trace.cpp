// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "sim/base/error.hpp"
#include "sim/base/gzip.hpp"
#include "sim/base/printable.hpp"
#include "sim/trace/event_reader.hpp"

namespace sim::trace {
namespace {

enum class Category { kernel, launch, annotation };

// As Kineto writes them, and as it did before 2022.
constexpr std::pair<std::string_view, Category> kCategories[] = {
    {"kernel", Category::kernel},       {"gpu_memcpy", Category::kernel},
    {"gpu_memset", Category::kernel},   {"Kernel", Category::kernel},
    {"Memcpy", Category::kernel},       {"Memset", Category::kernel},
    {"cuda_runtime", Category::launch}, {"cuda_driver", Category::launch},
    {"Runtime", Category::launch},      {"user_annotation", Category::annotation},
    {"cpu_op", Category::annotation},   {"Operator", Category::annotation}};
constexpr std::string_view kStep = "ProfilerStep";

// An event's times in microseconds, which become seconds since the first kernel or step.
class Collected {
 public:
  explicit Collected(const std::filesystem::path& file) { trace_.file = printable_path(file); }

  void take(const Event& event) {
    if (event.phase != "X") return;
    const auto* category = std::ranges::find(kCategories, event.category,
                                             &std::pair<std::string_view, Category>::first);
    if (category == std::end(kCategories)) return;
    if (category->second == Category::launch) {
      if (event.correlation && event.start_us) {
        launches_us_.try_emplace(*event.correlation, *event.start_us);
      }
    } else if (category->second == Category::kernel) {
      add_kernel(event);
    } else if (event.name.starts_with(kStep)) {
      add_step(event);
    }
  }

  Trace trace(const TraceHeader& header) {
    if (trace_.kernels.empty()) {
      throw InputError(trace_.file +
                       ": has no kernel of a GPU; profile with ProfilerActivity.CUDA");
    }
    trace_.device = header.device;
    if (header.rank) trace_.rank = static_cast<int>(*header.rank);
    if (header.ranks) trace_.ranks = static_cast<int>(*header.ranks);
    add_steps();
    set_times();
    for (Kernel& kernel : trace_.kernels) kernel.step = step_of(kernel);
    std::ranges::sort(trace_.kernels, {}, [](const Kernel& one) {
      return std::tuple(one.gpu, one.start_s, one.stream, one.end_s(), one.name);
    });
    trace_.overlapping = overlapping();
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(const Event& event, const std::string& what) const {
    throw InputError(fmt::format("{}: /traceEvents/{}: {}", trace_.file, event.place, what));
  }

  // Start and end, in microseconds.
  [[nodiscard]] std::pair<double, double> times_of(const Event& event) const {
    if (!event.start_us) fail(event, "ts: is missing or not a number");
    if (!event.duration_us) fail(event, "dur: is missing or not a number");
    if (*event.duration_us < 0) fail(event, "dur: is negative");
    return {*event.start_us, *event.duration_us};
  }

  void add_kernel(const Event& event) {
    const auto [start_us, duration_us] = times_of(event);
    const auto gpu = event.device ? event.device : event.process;
    const auto stream = event.stream ? event.stream : event.thread;
    if (!gpu) fail(event, "args/device: is missing or not a whole number");
    if (!stream) fail(event, "args/stream: is missing or not a whole number");
    if (event.name.empty()) fail(event, "name: is missing or not a string");
    Kernel kernel{.name = index_of(event.name), .stream = *stream};
    kernel.start_s = start_us;
    kernel.duration_s = duration_us;
    trace_.kernels.push_back(kernel);
    gpus_.push_back(*gpu);
    correlations_.push_back(event.correlation);
  }

  // Several processes of one file annotate the same steps.
  void add_step(const Event& event) {
    const auto [start_us, duration_us] = times_of(event);
    const double end_us = start_us + duration_us;
    const auto [step, is_new] = steps_us_.try_emplace(event.name, std::pair(start_us, end_us));
    if (is_new) return;
    step->second.first = std::min(step->second.first, start_us);
    step->second.second = std::max(step->second.second, end_us);
  }

  std::uint32_t index_of(const std::string& name) {
    const auto [index, is_new] =
        names_.try_emplace(name, static_cast<std::uint32_t>(trace_.names.size()));
    if (is_new) trace_.names.push_back({printable_line(name, kLongestName), class_of(name)});
    return index->second;
  }

  void add_steps() {
    for (const auto& [name, times] : steps_us_) {
      trace_.steps.push_back({printable_line(name, kLongestName), times.first, times.second});
    }
    std::ranges::sort(trace_.steps, {}, &Step::start_s);
  }

  void set_times() {
    std::vector<std::int64_t> known = gpus_;
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    double origin_us = trace_.kernels.front().start_s;
    for (const Kernel& kernel : trace_.kernels) origin_us = std::min(origin_us, kernel.start_s);
    for (const Step& step : trace_.steps) origin_us = std::min(origin_us, step.start_s);
    const auto seconds = [&](double us) { return (us - origin_us) / 1e6; };
    for (Step& step : trace_.steps) {
      step.start_s = seconds(step.start_s);
      step.end_s = seconds(step.end_s);
    }
    for (std::size_t i = 0; i < trace_.kernels.size(); ++i) {
      Kernel& kernel = trace_.kernels[i];
      kernel.start_s = seconds(kernel.start_s);
      kernel.duration_s /= 1e6;
      kernel.gpu =
          static_cast<std::int32_t>(std::ranges::lower_bound(known, gpus_[i]) - known.begin());
      if (!correlations_[i]) continue;
      const auto launch = launches_us_.find(*correlations_[i]);
      if (launch != launches_us_.end()) kernel.launched_s = seconds(launch->second);
    }
    trace_.gpus = std::move(known);
  }

  // A kernel runs later than its launch, often in the next step's time.
  [[nodiscard]] std::int32_t step_of(const Kernel& kernel) const {
    const bool is_launched = kernel.launched_s == kernel.launched_s;
    const double at_s = is_launched ? kernel.launched_s : kernel.start_s;
    const auto after = std::ranges::upper_bound(trace_.steps, at_s, {}, &Step::start_s);
    if (after == trace_.steps.begin() || at_s > std::prev(after)->end_s) return -1;
    return static_cast<std::int32_t>(std::prev(after) - trace_.steps.begin());
  }

  [[nodiscard]] std::size_t overlapping() const {
    constexpr double kRounding_s = 2e-9;
    std::map<std::pair<std::int32_t, std::int64_t>, double> ends_s;
    std::size_t count = 0;
    for (const Kernel& kernel : trace_.kernels) {
      const auto [end, is_first] = ends_s.try_emplace({kernel.gpu, kernel.stream}, kernel.end_s());
      if (is_first) continue;
      if (kernel.start_s < end->second - kRounding_s) ++count;
      end->second = std::max(end->second, kernel.end_s());
    }
    return count;
  }

  static constexpr std::size_t kLongestName = 200;

  Trace trace_;
  std::vector<std::int64_t> gpus_;  // by kernel, as in the file
  std::vector<std::optional<std::int64_t>> correlations_;
  std::unordered_map<std::int64_t, double> launches_us_;
  std::unordered_map<std::string, std::uint32_t> names_;
  std::map<std::string, std::pair<double, double>> steps_us_;
};

}  // namespace

Trace parse_trace(std::string_view text, const std::filesystem::path& file) {
  Collected collected(file);
  const TraceHeader header =
      read_events(text, file, [&](const Event& event) { collected.take(event); });
  return collected.trace(header);
}

Trace read_trace(const std::filesystem::path& file) {
  return parse_trace(read_unpacked(file, kMostTraceBytes), file);
}

}  // namespace sim::trace
