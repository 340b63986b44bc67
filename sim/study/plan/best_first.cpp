// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/best_first.hpp"

#include <algorithm>
#include <queue>
#include <tuple>

namespace sim::study {
namespace {

enum class Known { group, first_bound, second_bound, simulated };

struct Waiting {
  Score score;
  Known known;
  std::size_t candidate;  // the order of equal ones
  double seconds;

  // What is known best comes first among equals, so that nothing more is found out than needed.
  [[nodiscard]] auto order() const {
    return std::tuple(score, -static_cast<int>(known), candidate);
  }
  friend bool operator>(const Waiting& a, const Waiting& b) { return a.order() > b.order(); }
};

using Queue = std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>>;

std::vector<Ranked> best_first(Choices& choices, const Scoring& scoring, std::size_t count,
                               const std::function<void(const Choices&)>& progress) {
  Queue queue;
  const auto push = [&](std::size_t candidate, Known known, double seconds) {
    const auto score = scoring(candidate, seconds);
    if (score) queue.push({*score, known, candidate, seconds});
  };
  const std::size_t count_at_first = choices.count();
  for (std::size_t candidate = 0; candidate < count_at_first; ++candidate) {
    push(candidate, choices.is_group(candidate) ? Known::group : Known::first_bound,
         choices.first_bound(candidate));
    progress(choices);
  }
  std::vector<Ranked> best;
  while (best.size() < count && !queue.empty()) {
    const Waiting next = queue.top();
    queue.pop();
    progress(choices);
    switch (next.known) {
      case Known::group:
        for (const std::size_t one : choices.open(next.candidate)) {
          push(one, Known::first_bound, std::max(next.seconds, choices.first_bound(one)));
        }
        break;
      case Known::first_bound:
        push(next.candidate, Known::second_bound,
             std::max(next.seconds, choices.second_bound(next.candidate)));
        break;
      case Known::second_bound:
        push(next.candidate, Known::simulated, choices.seconds(next.candidate));
        break;
      case Known::simulated:
        best.push_back({next.candidate, next.score, next.seconds});
        break;
    }
  }
  return best;
}

std::vector<Ranked> best_of_all(Choices& choices, const Scoring& scoring, std::size_t count,
                                const std::function<void(const Choices&)>& progress) {
  std::vector<Ranked> ranked;
  const auto rank = [&](std::size_t candidate) {
    progress(choices);
    const double seconds = choices.seconds(candidate);
    if (const auto score = scoring(candidate, seconds)) {
      ranked.push_back({candidate, *score, seconds});
    }
  };
  const std::size_t count_at_first = choices.count();
  for (std::size_t candidate = 0; candidate < count_at_first; ++candidate) {
    if (!choices.is_group(candidate)) {
      rank(candidate);
      continue;
    }
    for (const std::size_t one : choices.open(candidate)) rank(one);
  }
  std::ranges::stable_sort(ranked, {}, &Ranked::score);
  if (ranked.size() > count) ranked.resize(count);
  return ranked;
}

}  // namespace

std::vector<Ranked> best_of(Choices& choices, const Scoring& scoring, std::size_t count,
                            bool exhaustive, const std::function<void(const Choices&)>& progress) {
  return (exhaustive ? best_of_all : best_first)(choices, scoring, count, progress);
}

}  // namespace sim::study
