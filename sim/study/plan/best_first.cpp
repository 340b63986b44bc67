// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plan/best_first.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sim/base/parallel.hpp"

namespace sim::study {
BestFirst::BestFirst(Choices& choices, Scoring scoring, const Extent& extent,
                     std::function<void(const Choices&)> progress)
    : choices_(choices),
      scoring_(std::move(scoring)),
      extent_(extent),
      progress_(std::move(progress)) {
  if (extent.exhaustive) {
    push_all_simulated();
    return;
  }
  const auto bounds = in_parallel(extent.jobs, choices.count(), [&](std::size_t candidate) {
    return choices.first_bound(candidate);
  });
  std::vector<Waiting> first;
  first.reserve(bounds.size());  // of several sites, a million
  for (std::size_t candidate = 0; candidate < bounds.size(); ++candidate) {
    const Known known = choices.is_group(candidate) ? Known::group : Known::first_bound;
    if (const auto one = waiting(candidate, known, bounds[candidate])) first.push_back(*one);
  }
  queue_ = decltype(queue_)({}, std::move(first));
}

void BestFirst::push_all_simulated() {
  std::vector<std::size_t> all;
  const std::size_t count_at_first = choices_.count();
  for (std::size_t candidate = 0; candidate < count_at_first; ++candidate) {
    if (choices_.is_group(candidate)) {
      std::ranges::copy(choices_.open(candidate), std::back_inserter(all));
    } else {
      all.push_back(candidate);
    }
  }
  const auto seconds = in_parallel(extent_.jobs, all.size(), [&](std::size_t i) {
    progress_(choices_);
    return choices_.seconds(all[i]);
  });
  for (std::size_t i = 0; i < all.size(); ++i) push(all[i], Known::simulated, seconds[i]);
}

std::optional<BestFirst::Waiting> BestFirst::waiting(std::size_t candidate, Known known,
                                                     double seconds) const {
  auto score = scoring_(candidate, seconds);
  if (score && known == Known::simulated && extent_.gap > 0 && !extent_.exhaustive) {
    score = scoring_(candidate, seconds / (1 + extent_.gap));
  }
  if (!score) return std::nullopt;
  return Waiting{*score, known, candidate, seconds};
}

void BestFirst::push(std::size_t candidate, Known known, double seconds) {
  if (const auto one = waiting(candidate, known, seconds)) queue_.push(*one);
}

double BestFirst::refined(const Waiting& one) const {
  switch (one.known) {
    case Known::first_bound:
      return std::max(one.seconds, choices_.second_bound(one.candidate));
    case Known::second_bound:
      return std::max(one.seconds, choices_.third_bound(one.candidate));
    default:
      return choices_.seconds(one.candidate);
  }
}

void BestFirst::refine(const std::vector<Waiting>& wave) {
  progress_(choices_);
  const auto seconds =
      in_parallel(extent_.jobs, wave.size(), [&](std::size_t i) { return refined(wave[i]); });
  for (std::size_t i = 0; i < wave.size(); ++i) {
    push(wave[i].candidate, static_cast<Known>(static_cast<int>(wave[i].known) + 1), seconds[i]);
  }
}

void BestFirst::open(const Waiting& group) {
  for (const std::size_t one : choices_.open(group.candidate)) {
    push(one, Known::first_bound, std::max(group.seconds, choices_.first_bound(one)));
  }
}

std::optional<Ranked> BestFirst::next() {
  for (;;) {
    std::vector<Waiting> wave;
    while (!queue_.empty() && wave.size() < extent_.wave) {
      const Waiting first = queue_.top();
      if (first.known == Known::simulated && !wave.empty()) break;
      queue_.pop();
      const auto score = scoring_(first.candidate, first.seconds);
      if (!score) continue;
      if (first.known == Known::simulated) return Ranked{first.candidate, *score, first.seconds};
      if (first.known == Known::group) {
        open(first);
      } else {
        wave.push_back(first);
      }
    }
    if (wave.empty()) return std::nullopt;
    refine(wave);
  }
}

}  // namespace sim::study
