// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/algorithm.hpp"

#include <algorithm>

#include "sim/base/error.hpp"

namespace sim {
namespace {

constexpr const CollectiveAlgorithm* kAlgorithms[] = {&algorithms::ring, &algorithms::pairwise};

}  // namespace

std::span<const CollectiveAlgorithm* const> all_algorithms() { return kAlgorithms; }

const CollectiveAlgorithm& algorithm_of(const Cluster&, CollectiveKind collective) {
  const auto runs = [&](const CollectiveAlgorithm* algorithm) {
    return std::ranges::find(algorithm->runs, collective) != algorithm->runs.end();
  };
  const auto found = std::ranges::find_if(kAlgorithms, runs);
  require(found != std::ranges::end(kAlgorithms), "an algorithm for each collective");
  return **found;
}

}  // namespace sim
