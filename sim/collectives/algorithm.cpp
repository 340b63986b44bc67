// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/algorithm.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"

namespace sim {
namespace {

constexpr const CollectiveAlgorithm* kAlgorithms[] = {&algorithms::ring, &algorithms::pairwise,
                                                      &algorithms::tree};

}  // namespace

bool CollectiveAlgorithm::can_run(CollectiveKind collective) const {
  return std::ranges::find(runs, collective) != runs.end();
}

std::span<const CollectiveAlgorithm* const> all_algorithms() { return kAlgorithms; }

const CollectiveAlgorithm& all_reduce_algorithm(std::string_view name, std::string_view place) {
  std::vector<std::string_view> known;
  for (const CollectiveAlgorithm* algorithm : kAlgorithms) {
    if (!algorithm->can_run(CollectiveKind::all_reduce)) continue;
    if (algorithm->name == name) return *algorithm;
    known.push_back(algorithm->name);
  }
  refuse_name(place, name, known);
}

const CollectiveAlgorithm& algorithm_of(const Cluster& cluster, CollectiveKind collective) {
  const CollectiveAlgorithm& own = *cluster.collectives.algorithm;
  if (own.can_run(collective)) return own;
  const auto found = std::ranges::find_if(
      kAlgorithms, [&](const CollectiveAlgorithm* one) { return one->can_run(collective); });
  require(found != std::ranges::end(kAlgorithms), "an algorithm for each collective");
  return **found;
}

}  // namespace sim
