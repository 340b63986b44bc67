// SPDX-License-Identifier: Apache-2.0
// Pairings of sites that meet a random partner in each round, all pairings being as likely.
//
//   four sites    a-b c-d    a-c b-d    a-d b-c        each of the three, once
//
// A study plays each pairing once: all that there are of up to 8 sites, 105 of them, and of more sites
// those of a round-robin tournament, in which each pair meets once. With an odd number one site has no
// partner. A site is heard if one of its partners hears it. Which pairings a tournament has depends on
// the order of the sites, which in turn depends on what they are like, not on what they are called.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "sim/sites/plan_round.hpp"

namespace sim {

// How many there are of so many sites: (n-1) (n-3) ... 3, or n-1 of a tournament, where n is the even
// number of sites or one more. At least 1.
[[nodiscard]] int pairing_count(int sites);

// Pairs of a pairing; of the site without a partner, itself and -1.
[[nodiscard]] std::vector<std::pair<int, int>> pairing(std::vector<int> places, int number);

// The places by what their sites are: by their fate, their work, their lines and the paths between them.
// Renaming or reordering the tables of the area gives the same order, up to sites that nothing tells
// apart.
[[nodiscard]] std::vector<int> in_order_of_kind(const WideArea& area, const RoundShape& shape,
                                                std::vector<int> places);

}  // namespace sim
