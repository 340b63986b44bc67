// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/algorithm.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"

namespace sim {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr const CollectiveAlgorithm* kAlgorithms[] = {&algorithms::ring, &algorithms::pairwise,
                                                      &algorithms::tree, &algorithms::nvls,
                                                      &algorithms::nvls_tree};

}  // namespace

bool CollectiveAlgorithm::can_run(CollectiveKind collective) const {
  return std::ranges::find(runs, collective) != runs.end();
}

std::span<const CollectiveAlgorithm* const> all_algorithms() { return kAlgorithms; }

const CollectiveAlgorithm* all_reduce_algorithm(std::string_view name, std::string_view place) {
  if (name == kAuto) return nullptr;
  std::vector<std::string_view> known{kAuto};
  for (const CollectiveAlgorithm* algorithm : kAlgorithms) {
    if (!algorithm->can_run(CollectiveKind::all_reduce)) continue;
    if (algorithm->name == name) return algorithm;
    known.push_back(algorithm->name);
  }
  refuse_name(place, name, known);
}

std::vector<const CollectiveAlgorithm*> algorithms_for(const Cluster& cluster,
                                                       CollectiveKind collective, int ranks,
                                                       int nodes) {
  const CollectiveAlgorithm* own = cluster.collectives.algorithm;
  if (own != nullptr && own->can_run(collective) && nodes <= own->most_nodes) return {own};
  std::vector<const CollectiveAlgorithm*> found;
  for (const CollectiveAlgorithm* one : kAlgorithms) {
    if (!one->can_run(collective)) continue;
    if (one->suits == nullptr || one->suits(cluster, ranks, nodes)) found.push_back(one);
  }
  return found;
}

}  // namespace sim
