// SPDX-License-Identifier: Apache-2.0
// How many ranks, or nodes, a token visits that a router sends to its experts.
#pragma once

#include <vector>

#include "sim/workload/routing.hpp"

namespace sim {

using ExpertShares = std::vector<double>;  // of all rows, by expert

// Expected number of `places`, each with as many consecutive experts, that hold some of the experts of
// a token. Groups, and experts in them, are chosen with probabilities proportional to the product of
// the experts' odds (conditional Poisson sampling: Hajek, Ann. Math. Statist. 35, 1964); for equal
// shares that is hypergeometric.
[[nodiscard]] double visited_places(const ExpertShares& shares, int top_k, GroupLimit limit,
                                    int places);

}  // namespace sim
