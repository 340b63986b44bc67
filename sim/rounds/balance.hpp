// SPDX-License-Identifier: Apache-2.0
// The work of a round, divided so that unlike sites end their inner steps together: in proportion to
// their speed, as by the dynamic local updates of asynchronous Local-SGD (arXiv 2401.09135).
//
//   steps   east  [1][2][3][4][5][6]     batch   east  [  1 of 6 micro-batches  ][  2
//           west  [  1  ][  2  ][  3  ]          west  [  1 of 3 micro-batches  ][  2
//
// A round keeps its tokens, but for whole numbers: each table of sites is within half a step, or half
// a micro-batch of every step, of its share. Nobody has less than one, nor fewer steps than fragments.
#pragma once

#include <span>
#include <vector>

#include "sim/base/names.hpp"
#include "sim/rounds/site_work.hpp"

namespace sim {

enum class Balance {
  none,
  steps,  // inner steps of a round; for schemes that exchange in every step there is nothing to divide
  batch  // micro-batches of an inner step
};

inline constexpr EnumName<Balance> kBalances[] = {
    {"none", Balance::none}, {"steps", Balance::steps}, {"batch", Balance::batch}};

// By table of sites, its keys with the share that it gets. Simulates inner steps: those of the job and,
// for batches, also those of twice as many micro-batches, between which a step's time is a straight
// line. Throws InputError if a table has the divided key itself.
[[nodiscard]] std::vector<SiteSetup> balanced_setups(const RoundContext& context,
                                                     const Scheme& scheme, Balance balance);

// Shares of work.
struct Pace {
  double weight = 1;   // of a unit of work: its tokens at all sites of the table
  double fixed_s = 0;  // whatever its share
  double each_s = 1;   // of a unit
};
// By table, whole units that end at about the same time and together have about `work`, at least so
// many each.
[[nodiscard]] std::vector<int> shares_of(double work, std::span<const Pace> paces, int least);

}  // namespace sim
