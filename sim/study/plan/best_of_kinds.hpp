// SPDX-License-Identifier: Apache-2.0
// The best of each kind of plan: of each hardware, with and without compression.
//
// What of a kind takes as long as its best, but for the gap of the search, is alike; of those, a plan has
// the one with the fewest kinds of parallelism besides data parallelism.
#pragma once

#include <functional>
#include <vector>

#include "sim/study/plan/best_first.hpp"

namespace sim::study {

// Of tensor, pipeline, context and expert parallelism, and virtual stages.
[[nodiscard]] int kinds_of_parallelism(const Parallelism& p);

// Which kinds are asked for, and in which order they are looked for.
struct KindSearch {
  Scoring score;
  // Whether nobody needs a kind that takes this long at least, given the best of another.
  std::function<bool(const Ranked& best, std::size_t candidate, double seconds)> beats;
  std::size_t most = 1;
};

struct BestOfKinds {
  std::vector<Ranked> plans;
  std::size_t beaten = 0;  // kinds that are left out as others beat them
};

// Each is at most the gap slower than what was found of its kind, which is at most the gap slower than the best.
[[nodiscard]] BestOfKinds best_of_kinds(Choices& choices, const KindSearch& search,
                                        const Extent& extent,
                                        const std::function<void(const Choices&)>& progress);

}  // namespace sim::study
