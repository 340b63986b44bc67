// The fastest setup of a job: which options of apps/job/setup_options.hpp a scheme, or any of several,
// trains fastest with.
#pragma once

#include <span>
#include <vector>

#include "apps/progress.hpp"
#include "apps/search/step_times.hpp"

namespace apps {

struct Best {
  Setup setup;
  double step_time_s = 0;
  bool fits = true;                    // in a GPU's memory
  std::vector<Setup> considered = {};  // that fit, or need as little
};

// Where a search starts, and how it says how far it is.
struct SearchFrom {
  double factor = 1;             // NICs are that many times as fast as the cluster's
  const Setup* first = nullptr;  // a guess, e.g. what is fastest on a similar network
  Progress* progress = nullptr;
};

// Coordinate by coordinate from a start where everything overlaps in BF16 and micro-batches are the
// largest that fit, until no single kind of option makes the step faster: tensor parallelism and
// recomputation, the scheme and its sharding, the split into micro-batches, the overlap, the
// precision, the buckets. What a flag says (Job::given) is not chosen. Setups that do not fit in
// memory are left out; where none fits, those that need more than the least one does.
[[nodiscard]] Best best_setup(const Job& job, std::span<const sim::Scheme> schemes,
                              StepTimes& times, const SearchFrom& from = {});

}  // namespace apps
