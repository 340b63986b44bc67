// SPDX-License-Identifier: Apache-2.0
#include "sim/schedule/least_time.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace sim {
namespace {

// What one GPU or one link has to do, and what at least comes before it and after it.
struct Work {
  double seconds = 0;
  double before_s = std::numeric_limits<double>::infinity();
  double after_s = std::numeric_limits<double>::infinity();

  void add(double more_s, double begin_s, double rest_s) {
    if (more_s <= 0) return;
    seconds += more_s;
    before_s = std::min(before_s, begin_s);
    after_s = std::min(after_s, rest_s);
  }
  [[nodiscard]] double least_s() const { return seconds > 0 ? before_s + seconds + after_s : 0; }
};

// A link that a route crosses, and the seconds that it takes for each byte of the flow.
struct Crossed {
  LinkId link;
  double seconds_per_byte;
};

std::vector<std::vector<Crossed>> crossed_links(const Wiring& wiring) {
  std::vector<std::vector<Crossed>> routes;
  for (const std::vector<Crossing>& route : wiring.routes) {
    auto& crossed = routes.emplace_back();
    for (const auto& [link, times] : route) {
      crossed.push_back({link, times / highest_rate(wiring.links[link])});
    }
  }
  return routes;
}

class LeastTime {
 public:
  LeastTime(const Schedule& schedule, const Wiring& wiring)
      : schedule_(schedule),
        routes_(crossed_links(wiring)),
        alone_s_(schedule.operations.size()),
        begin_s_(schedule.operations.size()),
        rest_s_(schedule.operations.size()),
        gpus_(static_cast<std::size_t>(schedule.ranks)),
        links_(wiring.links.size()) {}

  [[nodiscard]] double seconds() {
    double least_s = find_paths();
    least_s = std::max(least_s, longest_with_left_out());
    add_work();
    for (const Work& gpu : gpus_) least_s = std::max(least_s, gpu.least_s());
    for (const Work& link : links_) least_s = std::max(least_s, link.least_s());
    return least_s * (1 - kRounded);
  }

 private:
  // The engine moves whole bytes.
  [[nodiscard]] static double moved(const Operation& flow) {
    return flow.bytes < kLeastBytes ? 0 : std::round(flow.bytes);
  }

  [[nodiscard]] double alone_s(const Operation& operation) const {
    if (operation.kind == OperationKind::work || operation.kind == OperationKind::host) {
      return operation.seconds;
    }
    if (operation.kind != OperationKind::flow) return 0;
    double slowest = 0;
    for (const Crossed& one : routes_[operation.route]) {
      slowest = std::max(slowest, one.seconds_per_byte);
    }
    return operation.seconds + operation.latency_on_the_way_s + moved(operation) * slowest;
  }

  // The longest of all. Dependencies point back.
  double find_paths() {
    const auto& operations = schedule_.operations;
    double longest_s = 0;
    for (std::size_t id = 0; id < operations.size(); ++id) {
      alone_s_[id] = alone_s(operations[id]);
      double& begin = begin_s_[id];
      for (const auto earlier : schedule_.dependencies_of(operations[id])) {
        begin = std::max(begin, begin_s_[earlier] + alone_s_[earlier]);
      }
      longest_s = std::max(longest_s, begin + alone_s_[id]);
    }
    for (std::size_t id = operations.size(); id-- > 0;) {
      const double from_s = rest_s_[id] + alone_s_[id];
      for (const auto earlier : schedule_.dependencies_of(operations[id])) {
        rest_s_[earlier] = std::max(rest_s_[earlier], from_s);
      }
    }
    return longest_s;
  }

  using Ids = std::vector<std::uint32_t>;

  // The longest through the first kernel of the period that stands for those left out, with the way to
  // the next period's first kernel once more for each of them.
  [[nodiscard]] double longest_with_left_out() const {
    double longest_s = 0;
    const auto is_kernel = [&](std::uint32_t id) {
      const Operation& one = schedule_.operations[id];
      return one.kind == OperationKind::work && one.stream == Stream::compute;
    };
    for (const auto& [standing, next] : standing_periods()) {
      const auto from = std::ranges::find_if(standing, is_kernel);
      const auto to = std::ranges::find_if(next, is_kernel);
      if (from == standing.end() || to == next.end()) continue;
      Ids between(from, standing.end());
      between.insert(between.end(), next.begin(), to + 1);
      const double once_s = begin_s_[*from] + alone_s_[*from] + rest_s_[*from];
      longest_s = std::max(longest_s, once_s + schedule_.left_out * longest_between(between));
    }
    return longest_s;
  }

  // By stage, the operations of the period that stands for others, and of the next.
  [[nodiscard]] std::vector<std::array<Ids, 2>> standing_periods() const {
    std::map<int, std::array<Ids, 2>> by_stage;
    for (const PeriodRange& range : schedule_.periods) {
      const int place = range.period - kStandsForOthers;
      if (place != 0 && place != 1) continue;
      Ids& ids = by_stage[range.stage][static_cast<std::size_t>(place)];
      for (std::uint32_t id = range.first; id < range.end; ++id) ids.push_back(id);
    }
    std::vector<std::array<Ids, 2>> all;
    for (auto& [stage, periods] : by_stage) all.push_back(std::move(periods));
    return all;
  }

  // From the start of the first to that of the last, through these alone.
  [[nodiscard]] double longest_between(const Ids& ids) const {
    constexpr double kApart = -std::numeric_limits<double>::infinity();
    std::vector<double> since_s(ids.back() - ids.front() + 1, kApart);
    const auto since = [&](std::uint32_t id) -> double& { return since_s[id - ids.front()]; };
    since(ids.front()) = 0;
    for (const std::uint32_t id : std::span(ids).subspan(1)) {
      for (const auto earlier : schedule_.dependencies_of(schedule_.operations[id])) {
        if (earlier < ids.front()) continue;
        since(id) = std::max(since(id), since(earlier) + alone_s_[earlier]);
      }
    }
    return std::max(0.0, since(ids.back()));
  }

  void add_work() {
    for (std::size_t id = 0; id < schedule_.operations.size(); ++id) {
      const Operation& operation = schedule_.operations[id];
      if (operation.kind == OperationKind::work && !operation.on_host) {
        gpus_[static_cast<std::size_t>(operation.rank)].add(operation.times * operation.seconds,
                                                            begin_s_[id], rest_s_[id]);
      }
      if (operation.kind != OperationKind::flow) continue;
      for (const Crossed& one : routes_[operation.route]) {
        links_[one.link].add(operation.times * moved(operation) * one.seconds_per_byte,
                             begin_s_[id] + operation.seconds, rest_s_[id]);
      }
    }
  }

  const Schedule& schedule_;
  std::vector<std::vector<Crossed>> routes_;
  std::vector<double> alone_s_;           // by operation
  std::vector<double> begin_s_, rest_s_;  // by operation: longest paths to its start, from its end
  std::vector<Work> gpus_, links_;
};

}  // namespace

Seconds least_time(const Schedule& schedule, const Wiring& wiring) {
  return Seconds::from_base(LeastTime(schedule, wiring).seconds());
}

}  // namespace sim
