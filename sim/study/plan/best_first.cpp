// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/best_first.hpp"

#include <algorithm>
#include <iterator>
#include <queue>
#include <tuple>
#include <utility>

#include "sim/base/parallel.hpp"

namespace sim::study {
namespace {

using Progress = std::function<void(const Choices&)>;

enum class Known { group, first_bound, second_bound, third_bound, simulated };

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

// Candidates refined at a time. Fixed, so that neither the result nor what is simulated depends on the
// number of threads. Fewer than a wave are refined in vain, at the end of the search.
constexpr std::size_t kWave = 8;

class BestFirst {
 public:
  BestFirst(Choices& choices, const Scoring& scoring, const Extent& extent)
      : choices_(choices), scoring_(scoring), extent_(extent) {
    const auto bounds = in_parallel(extent.jobs, choices.count(), [&](std::size_t candidate) {
      return choices.first_bound(candidate);
    });
    std::vector<Waiting> first;
    first.reserve(bounds.size());  // of several sites, a million
    for (std::size_t candidate = 0; candidate < bounds.size(); ++candidate) {
      const auto score = scoring(candidate, bounds[candidate]);
      const Known known = choices.is_group(candidate) ? Known::group : Known::first_bound;
      if (score) first.push_back({*score, known, candidate, bounds[candidate]});
    }
    queue_ = Queue({}, std::move(first));
  }

  std::vector<Ranked> run(const Progress& progress) && {
    for (;;) {
      const std::vector<Waiting> wave = next_wave();
      if (wave.empty()) return std::move(best_);
      progress(choices_);
      const auto seconds =
          in_parallel(extent_.jobs, wave.size(), [&](std::size_t i) { return refined(wave[i]); });
      for (std::size_t i = 0; i < wave.size(); ++i) {
        push(wave[i].candidate, static_cast<Known>(static_cast<int>(wave[i].known) + 1),
             seconds[i]);
      }
    }
  }

 private:
  [[nodiscard]] double refined(const Waiting& one) const {
    switch (one.known) {
      case Known::first_bound:
        return std::max(one.seconds, choices_.second_bound(one.candidate));
      case Known::second_bound:
        return std::max(one.seconds, choices_.third_bound(one.candidate));
      default:
        return choices_.seconds(one.candidate);
    }
  }

  void push(std::size_t candidate, Known known, double seconds) {
    const auto score = scoring_(candidate, seconds);
    if (score) queue_.push({*score, known, candidate, seconds});
  }

  // The first that are not simulated yet. Simulated ones before them are the best; behind as many as
  // are asked for, nobody asks for more.
  std::vector<Waiting> next_wave() {
    std::vector<Waiting> wave, simulated;
    while (!queue_.empty() && wave.size() < kWave &&
           best_.size() + simulated.size() < extent_.count) {
      const Waiting next = queue_.top();
      queue_.pop();
      if (next.known == Known::group) {
        for (const std::size_t one : choices_.open(next.candidate)) {
          push(one, Known::first_bound, std::max(next.seconds, choices_.first_bound(one)));
        }
      } else if (next.known != Known::simulated) {
        wave.push_back(next);
      } else if (wave.empty()) {
        best_.push_back({next.candidate, next.score, next.seconds});
      } else {
        simulated.push_back(next);
      }
    }
    for (const Waiting& one : simulated) queue_.push(one);
    return wave;
  }

  Choices& choices_;
  const Scoring& scoring_;
  const Extent& extent_;
  Queue queue_;
  std::vector<Ranked> best_;
};

std::vector<Ranked> best_of_all(Choices& choices, const Scoring& scoring, const Extent& extent,
                                const Progress& progress) {
  std::vector<std::size_t> all;
  const std::size_t count_at_first = choices.count();
  for (std::size_t candidate = 0; candidate < count_at_first; ++candidate) {
    if (choices.is_group(candidate)) {
      std::ranges::copy(choices.open(candidate), std::back_inserter(all));
    } else {
      all.push_back(candidate);
    }
  }
  const auto seconds = in_parallel(extent.jobs, all.size(), [&](std::size_t i) {
    progress(choices);
    return choices.seconds(all[i]);
  });
  std::vector<Ranked> ranked;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (const auto score = scoring(all[i], seconds[i]))
      ranked.push_back({all[i], *score, seconds[i]});
  }
  std::ranges::stable_sort(ranked, {}, &Ranked::score);
  if (ranked.size() > extent.count) ranked.resize(extent.count);
  return ranked;
}

}  // namespace

std::vector<Ranked> best_of(Choices& choices, const Scoring& scoring, const Extent& extent,
                            const Progress& progress) {
  if (extent.exhaustive) return best_of_all(choices, scoring, extent, progress);
  return BestFirst(choices, scoring, extent).run(progress);
}

}  // namespace sim::study
