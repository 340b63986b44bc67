// SPDX-License-Identifier: Apache-2.0
// The NICs at which compressing what a plan exchanges pays.
#pragma once

#include <span>
#include <vector>

#include "sim/study/job.hpp"
#include "sim/study/search/step_times.hpp"

namespace sim::study {

// The fastest of some compressed setups with such NICs, over an uncompressed one.
struct CompressionAt {
  Bandwidth nics;
  std::size_t compressed = 0;
  double speedup = 1;
  bool pays = false;  // verdict_of()
};

// Of setups of a cluster's job, first with the cluster's NICs. Where compression pays there, then with
// faster ones that are sold, until it does not; else with slower ones, until it does. At most five. Simulates what `times`, of the
// job, does not know.
[[nodiscard]] std::vector<CompressionAt> compression_at(const Job& job, const Setup& plain,
                                                        std::span<const Setup> compressed,
                                                        StepTimes& times);

}  // namespace sim::study
