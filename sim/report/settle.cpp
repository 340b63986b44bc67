// SPDX-License-Identifier: Apache-2.0
#include "sim/report/settle.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace sim {
namespace {

// Periods are alike if no operation ends more than this part of a period too early or too late. The rest
// of the step is then off by no larger part: an operation moves no further than those that it waits for
// (nonexpansive, as max-plus linear systems are: Baccelli et al., Synchronization and Linearity, 1992).
// It is not 0, as stages that are about equally slow take very many periods to fall into one pace.
constexpr double kSamePeriod = 1e-6;
// The last periods that have to be like the ones before.
constexpr int kAlikePeriods = 2;

// Hosts that issue kernels are not compared: those that are ahead of their GPUs get further ahead with
// each period.
bool is_compared(const Operation& operation) {
  return operation.kind == OperationKind::work || operation.kind == OperationKind::flow ||
         operation.kind == OperationKind::member || operation.phase == Phase::host_copy;
}

// Of a stage, the operations of each period in order.
using StagePeriods = std::vector<std::vector<std::uint32_t>>;

std::vector<StagePeriods> compared_periods(const Schedule& schedule) {
  std::vector<StagePeriods> stages;
  for (const PeriodRange& range : schedule.periods) {
    const auto stage = static_cast<std::size_t>(range.stage);
    const auto period = static_cast<std::size_t>(range.period);
    if (stages.size() <= stage) stages.resize(stage + 1);
    if (stages[stage].size() <= period) stages[stage].resize(period + 1);
    for (std::uint32_t id = range.first; id < range.end; ++id) {
      if (is_compared(schedule.operations[id])) stages[stage][period].push_back(id);
    }
  }
  return stages;
}

class Settling {
 public:
  Settling(const Schedule& schedule, const Timeline& timeline)
      : schedule_(schedule), timeline_(timeline), stages_(compared_periods(schedule)) {
    for (const StagePeriods& stage : stages_) {
      if (begin_s(stage, 1) >= until_s_) continue;
      until_s_ = begin_s(stage, 1);
      first_ = &stage;
    }
  }

  // How many periods go by until all is as it was, at least; 0: it never is.
  [[nodiscard]] int periods() const {
    const auto most = static_cast<int>(first_->size() - 1) / (kAlikePeriods + 1);
    for (int periods = 1; periods <= most; ++periods) {
      if (schedule_.left_out % periods == 0 && repeats(periods)) return periods;
    }
    return 0;
  }
  // The last of so many periods.
  [[nodiscard]] Repeated repeated(int periods) const {
    return {.from_s = begin_s(*first_, 1 + static_cast<std::size_t>(periods)),
            .until_s = until_s_,
            .times = static_cast<double>(schedule_.left_out) / periods};
  }

 private:
  // Of a stage's period, counted from the last one, 1.
  [[nodiscard]] double begin_s(const StagePeriods& stage, std::size_t from_last) const {
    return timeline_.start_s[stage[stage.size() - from_last].front()];
  }

  // Whether all that was under way lately is of periods like those so many before.
  [[nodiscard]] bool repeats(int periods) const {
    const double period_s = until_s_ - repeated(periods).from_s;
    const double since_s = until_s_ - kAlikePeriods * period_s;
    const auto is_late = [&](std::uint32_t id) {
      return timeline_.end_s[id] > since_s && timeline_.start_s[id] < until_s_;
    };
    std::size_t late = 0;
    for (std::uint32_t id = 0; id < schedule_.operations.size(); ++id) {
      late += is_compared(schedule_.operations[id]) && is_late(id);
    }
    for (const StagePeriods& stage : stages_) {
      for (auto i = static_cast<std::size_t>(periods); i < stage.size(); ++i) {
        const auto& now = stage[i];
        const auto& before = stage[i - static_cast<std::size_t>(periods)];
        if (now.size() != before.size()) continue;
        for (std::size_t j = 0; j < now.size(); ++j) {
          if (!is_late(now[j])) continue;
          if (!is_later(now[j], before[j], period_s)) return false;
          --late;
        }
      }
    }
    return late == 0;
  }

  [[nodiscard]] bool is_later(std::uint32_t now, std::uint32_t before, double period_s) const {
    const double end_s = timeline_.end_s[now];
    if (end_s > until_s_) return true;  // not known yet
    return std::abs(end_s - timeline_.end_s[before] - period_s) <= kSamePeriod * period_s;
  }

  const Schedule& schedule_;
  const Timeline& timeline_;
  std::vector<StagePeriods> stages_;
  const StagePeriods* first_ = nullptr;  // whose last period begins first
  double until_s_ = std::numeric_limits<double>::infinity();
};

// Then its host's time counts, not the pipeline's.
bool ends_with_host(const Schedule& schedule, const Timeline& timeline) {
  const auto last = std::ranges::max_element(timeline.end_s) - timeline.end_s.begin();
  return schedule.operations[static_cast<std::size_t>(last)].kind == OperationKind::host;
}

}  // namespace

bool settle(const Schedule& schedule, Timeline& timeline) {
  if (schedule.left_out == 0) return true;
  const Settling settling(schedule, timeline);
  const int periods = settling.periods();
  if (periods == 0 || ends_with_host(schedule, timeline)) return false;
  timeline.repeated = settling.repeated(periods);
  timeline.makespan_s += timeline.repeated.seconds();
  return true;
}

}  // namespace sim
