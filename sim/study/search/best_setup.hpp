// SPDX-License-Identifier: Apache-2.0
// The fastest setup of a job: the options of sim/study/setup_options.hpp with which a scheme, or the
// best of several, trains fastest.
#pragma once

#include <span>
#include <vector>

#include "sim/study/search/memory_remedies.hpp"
#include "sim/study/search/step_times.hpp"
#include "sim/study/watch.hpp"

namespace sim::study {

struct Best {
  Setup setup;
  double step_time_s = 0;
  bool fits = true;                    // in a GPU's memory
  std::vector<Setup> considered = {};  // those that fit, or that need as little
};

// The start of a search, and its progress reports.
struct SearchFrom {
  double factor = 1;             // the NICs' speed relative to the cluster's
  const Setup* first = nullptr;  // a guess, e.g. the fastest setup on a similar network
  Watch watch = {};
};

// What needs the least memory of all that best_setup() may choose; simulates nothing. Throws
// InputError where the given options leave it no choice.
[[nodiscard]] Setup smallest_setup(const Job& job, std::span<const Scheme> schemes);

// The cheapest part of the remedies in a setup that fits without which its scheme does not fit, however
// the rest is chosen. Simulates nothing.
[[nodiscard]] RemedySet needed_remedies(const Job& job, const Setup& setup);

// Coordinate by coordinate from a start where everything overlaps in BF16 and micro-batches are the
// largest that fit, until no single kind of option makes the step faster: tensor parallelism and
// recomputation, the scheme and its sharding, the split into micro-batches, the overlap, the
// precision, the buckets. What is given (Job::given) is not chosen. Setups that do not fit in
// memory are left out; where none fits, the optimizer's state is on hosts if that makes one fit, or
// less overlaps, and else those are left out that need more than the least one does.
[[nodiscard]] Best best_setup(const Job& job, std::span<const Scheme> schemes, StepTimes& times,
                              const SearchFrom& from = {});

}  // namespace sim::study
