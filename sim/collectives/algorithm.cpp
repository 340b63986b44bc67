// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/algorithm.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace sim {
namespace {

constexpr const CollectiveAlgorithm* kAlgorithms[] = {&algorithms::ring, &algorithms::pairwise};

}  // namespace

bool CollectiveAlgorithm::can_run(CollectiveKind collective) const {
  return std::ranges::find(runs, collective) != runs.end();
}

std::span<const CollectiveAlgorithm* const> all_algorithms() { return kAlgorithms; }

const CollectiveAlgorithm& algorithm_of(const Cluster&, CollectiveKind collective) {
  const auto found = std::ranges::find_if(
      kAlgorithms, [&](const CollectiveAlgorithm* one) { return one->can_run(collective); });
  require(found != std::ranges::end(kAlgorithms), "an algorithm for each collective");
  return **found;
}

}  // namespace sim
