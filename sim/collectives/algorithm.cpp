// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/algorithm.hpp"

#include <algorithm>

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/collectives/listed.hpp"

namespace sim {
namespace {

constexpr std::string_view kAuto = "auto";
constexpr const CollectiveAlgorithm* kAlgorithms[] = {&algorithms::ring,
                                                      &algorithms::pairwise,
                                                      &algorithms::rail,
                                                      &algorithms::tree,
                                                      &algorithms::nvls,
                                                      &algorithms::nvls_tree,
                                                      &algorithms::sharp,
                                                      &algorithms::pat,
                                                      &algorithms::recursive,
                                                      &algorithms::hierarchical,
                                                      &algorithms::copy_engine,
                                                      &algorithms::chain,
                                                      &algorithms::direct,
                                                      &algorithms::deepep,
                                                      &algorithms::deepep_low_latency,
                                                      &algorithms::hybridep,
                                                      &algorithms::nvlink_two_sided};

}  // namespace

bool CollectiveAlgorithm::can_run(CollectiveKind collective) const {
  return std::ranges::find(runs, collective) != runs.end();
}

bool CollectiveAlgorithm::can_run_on(const Cluster& cluster, const GroupShape& shape) const {
  return shape.nodes <= most_nodes && (takes == nullptr || takes(cluster, shape));
}

bool never(const Cluster& /*cluster*/, int /*ranks*/, int /*nodes*/) { return false; }

std::span<const CollectiveAlgorithm* const> all_algorithms() { return kAlgorithms; }

const CollectiveAlgorithm* algorithm_named(std::string_view name, std::string_view place,
                                           std::optional<CollectiveKind> collective) {
  if (name == kAuto) return nullptr;
  std::vector<std::string_view> known{kAuto};
  for (const CollectiveAlgorithm* algorithm : kAlgorithms) {
    if (collective && !algorithm->can_run(*collective)) continue;
    if (algorithm->name == name) return algorithm;
    known.push_back(algorithm->name);
  }
  refuse_name(place, name, known);
}

std::vector<const CollectiveAlgorithm*> algorithms_for(const Cluster& cluster,
                                                       CollectiveKind collective,
                                                       const GroupShape& shape, bool by_nccl) {
  const CollectiveAlgorithm* own = cluster.collectives.algorithm;
  if (own != nullptr && own->can_run(collective) && own->can_run_on(cluster, shape)) return {own};
  std::vector<const CollectiveAlgorithm*> found, listed, listed_and_found;
  for (const CollectiveAlgorithm* one : kAlgorithms) {
    if (!one->can_run(collective) || !one->can_run_on(cluster, shape)) continue;
    const bool suits = one->suits == nullptr || one->suits(cluster, shape.ranks, shape.nodes);
    const bool is_found = by_nccl ? one->nccl.has_value() : suits;
    if (is_found) found.push_back(one);
    const auto& list = cluster.collectives.algorithms;
    if (!list || !is_enabled(*list, collective, *one)) continue;
    listed.push_back(one);
    if (is_found) listed_and_found.push_back(one);
  }
  if (!listed_and_found.empty()) return listed_and_found;
  return listed.empty() ? found : listed;  // a list that leaves nothing is as none
}

}  // namespace sim
