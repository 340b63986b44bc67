// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/round_parts.hpp"

#include <algorithm>

namespace sim {
namespace {

// The counted rounds, at the place.
Interval played_at(const RoundResult& result, std::size_t place) {
  const auto end = [&](std::size_t round) { return result.end_s(result.plan.ends[round][place]); };
  const CountedRounds rounds = counted_rounds(result);
  return {rounds.settled ? end(*rounds.settled) : 0, end(rounds.last)};
}

}  // namespace

std::size_t last_place(const RoundResult& result) {
  std::size_t latest = 0;
  double end = -1;
  for (std::size_t place = 0; place < result.shape.sites.size(); ++place) {
    if (!result.is_heard(place)) continue;
    const double own = played_at(result, place).end_s;
    if (own <= end) continue;
    end = own;
    latest = place;
  }
  return latest;
}

TimeParts parts_of_round(const RoundResult& result, std::size_t place) {
  const Interval played = played_at(result, place);
  const double rounds = counted_rounds(result).count();
  TimeParts parts =
      time_parts(result.plan.schedule, result.timeline, static_cast<int>(place), played);
  for (double* part : {&parts.compute_s, &parts.exposed_comm_s, &parts.codec_s, &parts.host_s,
                       &parts.bubble_s, &parts.optimizer_s, &parts.other_s}) {
    *part /= rounds;
  }
  if (result.round_s <= slowest_copies(result)) {  // which go on after what was played
    const double seconds = (played.end_s - played.start_s) / rounds;
    parts.other_s += std::max(0.0, result.round_s - seconds);
  }
  const SiteWork& work = result.shape.sites[place];
  const double steps_s = result.shape.steps(place) * work.step_s;
  const double played_s = parts.compute_s - steps_s + parts.exposed_comm_s + parts.bubble_s;
  parts.compute_s = steps_s;
  const double kernels_s = steps_s + parts.codec_s + parts.host_s + parts.optimizer_s;
  const double left_s = std::max(0.0, result.round_s - kernels_s - parts.other_s);
  // A link that falls behind sets a longer round; a site may have waited longer in those played.
  if (played_s > left_s) parts.bubble_s *= left_s / played_s;
  // Until a late site begins, it waits, whatever is under way meanwhile.
  parts.bubble_s = std::min(std::max(parts.bubble_s, work.start_s), left_s);
  parts.exposed_comm_s = left_s - parts.bubble_s;
  parts.exposed_by_phase_s = {{Phase::outer_comm, parts.exposed_comm_s}};
  return parts;
}

double exchange_after_round_s(const RoundResult& result) {
  const CountedRounds counted = counted_rounds(result);
  double sum = 0;
  double rounds = 0;  // of all places
  for (std::size_t round = counted.settled ? *counted.settled + counted.cycle : 0;
       round < result.plan.ends.size(); round += counted.cycle) {
    for (std::size_t place = 0; place < result.shape.sites.size(); ++place) {
      const OperationId received = result.plan.results[round][place];
      const OperationId end = result.plan.ends[round][place];
      if (!result.is_heard(place) || received == kNoOperation || end == kNoOperation) continue;
      sum += std::max(0.0, result.end_s(received) - result.end_s(end));
      ++rounds;
    }
  }
  return rounds > 0 ? sum / rounds : 0;
}

}  // namespace sim
