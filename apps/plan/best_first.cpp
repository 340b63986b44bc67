#include "apps/plan/best_first.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <queue>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/schedule/least_time.hpp"

namespace apps {
namespace {

enum class Known { in_closed_form, planned, simulated };

struct Waiting {
  Score score;
  Known known;
  std::size_t candidate;  // the order of equal ones
  double step_s;

  // What is known best comes first among equals, so that nothing more is found out than needed.
  [[nodiscard]] auto order() const {
    return std::tuple(score, -static_cast<int>(known), candidate);
  }
  friend bool operator>(const Waiting& a, const Waiting& b) { return a.order() > b.order(); }
};

using Queue = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;

}  // namespace

double CandidateTimes::first_bound(const Candidate& candidate) {
  const auto [found, added] = first_bounds_.try_emplace(candidate.layout);
  const Job& job = space_.job(candidate);
  if (added) {
    ++counts_.bounded;
    found->second = first_.of(job, space_.setup(candidate));
  }
  return found->second.seconds(job.cluster);
}

// A schedule has the same operations whatever the speed of the NICs.
double CandidateTimes::planned_bound(const Candidate& candidate) {
  if (const auto found = planned_bounds_.find(key(candidate)); found != planned_bounds_.end()) {
    return found->second;
  }
  const Job& planned = space_.job(candidate);
  const Setup setup = space_.setup(candidate);
  const sim::Schedule schedule = sim::plan_step(planned.context(setup), setup.scheme);
  ++counts_.planned;
  for (std::size_t offer = 0; offer < space_.offers.size(); ++offer) {
    const sim::Cluster& cluster = space_.offers[offer].cluster;
    if (cluster.nodes != planned.cluster.nodes) continue;
    planned_bounds_[{candidate.layout, offer}] =
        sim::least_time(schedule, sim::wire(schedule, cluster)).base();
  }
  return planned_bounds_.at(key(candidate));
}

const sim::StepReport& CandidateTimes::simulated(const Candidate& candidate) {
  const auto [found, added] = reports_.try_emplace(key(candidate));
  if (!added) return found->second;
  const Job& job = space_.job(candidate);
  const Setup setup = space_.setup(candidate);
  const sim::Schedule schedule = sim::plan_step(job.context(setup), setup.scheme);
  const sim::Timeline timeline = sim::simulate(schedule, job.cluster);
  found->second = sim::summarize(job.context(setup), setup.scheme, schedule, timeline);
  ++counts_.simulated;
  sim::require(first_bound(candidate) <= timeline.makespan_s, "no step beats its first bound");
  const auto planned = planned_bounds_.find(key(candidate));
  const double bound = planned == planned_bounds_.end()
                           ? sim::least_time(schedule, sim::wire(schedule, job.cluster)).base()
                           : planned->second;
  sim::require(bound <= timeline.makespan_s, "no step beats its schedule's bound");
  return found->second;
}

std::vector<Ranked> best_first(std::span<const Candidate> candidates, const Scoring& scoring,
                               std::size_t count, CandidateTimes& times,
                               const std::function<void()>& progress) {
  Queue queue;
  const auto push = [&](std::size_t index, Known known, double step_s) {
    const auto score = scoring(candidates[index], step_s);
    if (score) queue.push({*score, known, index, step_s});
  };
  for (std::size_t index = 0; index < candidates.size(); ++index) {
    push(index, Known::in_closed_form, times.first_bound(candidates[index]));
    progress();
  }
  std::vector<Ranked> best;
  while (best.size() < count && !queue.empty()) {
    const Waiting next = queue.top();
    queue.pop();
    const Candidate& candidate = candidates[next.candidate];
    progress();
    switch (next.known) {
      case Known::in_closed_form:
        push(next.candidate, Known::planned, std::max(next.step_s, times.planned_bound(candidate)));
        break;
      case Known::planned:
        push(next.candidate, Known::simulated, times.simulated(candidate).step_time_s);
        break;
      case Known::simulated:
        best.push_back({candidate, next.score, next.step_s});
        break;
    }
  }
  return best;
}

std::vector<Ranked> best_of_all(std::span<const Candidate> candidates, const Scoring& scoring,
                                std::size_t count, CandidateTimes& times,
                                const std::function<void()>& progress) {
  std::vector<Ranked> ranked;
  for (const Candidate& candidate : candidates) {
    progress();
    const double step_s = times.simulated(candidate).step_time_s;
    if (const auto score = scoring(candidate, step_s)) {
      ranked.push_back({candidate, *score, step_s});
    }
  }
  std::ranges::stable_sort(ranked, {}, &Ranked::score);
  if (ranked.size() > count) ranked.resize(count);
  return ranked;
}

}  // namespace apps
