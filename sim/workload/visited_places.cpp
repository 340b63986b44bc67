// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/visited_places.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>

namespace sim {
namespace {

// Sums over all choices of so many experts of the product of their weights: elementary symmetric
// polynomials, by the number chosen.
using ChoiceSums = std::vector<double>;

ChoiceSums of_nothing(int top_k) {
  ChoiceSums sums(static_cast<std::size_t>(top_k) + 1);
  sums[0] = 1;
  return sums;
}

ChoiceSums with(ChoiceSums sums, double weight) {
  for (std::size_t chosen = sums.size() - 1; chosen > 0; --chosen) {
    sums[chosen] += sums[chosen - 1] * weight;
  }
  return sums;
}

void add_joined(const ChoiceSums& a, const ChoiceSums& b, ChoiceSums& sums) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; i + j < sums.size(); ++j) sums[i + j] += a[i] * b[j];
  }
}

ChoiceSums joined(const ChoiceSums& a, const ChoiceSums& b) {
  ChoiceSums sums(a.size());
  add_joined(a, b, sums);
  return sums;
}

// Over all choices of `chosen` groups, and of top_k experts in these.
double all_choices(std::span<const ChoiceSums> groups, int chosen) {
  if (groups.size() == 1) return groups.front().back();
  const std::size_t terms = groups.front().size();
  std::vector<ChoiceSums> by_groups(static_cast<std::size_t>(chosen) + 1, ChoiceSums(terms));
  by_groups[0][0] = 1;
  for (const ChoiceSums& group : groups) {
    for (std::size_t count = by_groups.size() - 1; count > 0; --count) {
      add_joined(by_groups[count - 1], group, by_groups[count]);
    }
  }
  return by_groups.back().back();
}

// The odds of each expert to be chosen, times a constant that keeps the sums of products near 1. Chances
// next to 0 and 1 are moved off them, so that products of dozens of odds stay in the range of a double
// where loads are of more groups than a token may choose.
std::vector<double> odds_of(const ExpertShares& shares, int top_k) {
  constexpr double kLeast = 1e-5;
  constexpr double kMost = 1 - 1e-4;
  std::vector<double> odds;
  for (const double share : shares) {
    const double chosen = std::clamp(share * top_k, kLeast, kMost);
    odds.push_back(chosen / (1 - chosen));
  }
  const double scale = top_k / std::reduce(odds.begin(), odds.end());
  for (double& one : odds) one *= scale;
  return odds;
}

}  // namespace

double visited_places(const ExpertShares& shares, int top_k, GroupLimit limit, int places) {
  if (places == 1) return 1;
  const std::size_t experts = shares.size();
  const std::size_t in_place = experts / static_cast<std::size_t>(places);
  const std::size_t in_group = experts / static_cast<std::size_t>(limit.groups);
  const std::vector<double> odds = odds_of(shares, top_k);
  const ChoiceSums nothing = of_nothing(top_k);
  // Of the experts of a group before this one; and of this one and those of its group after it.
  std::vector<ChoiceSums> before(experts + 1, nothing);
  std::vector<ChoiceSums> from(experts + 1, nothing);
  for (std::size_t i = 1; i < experts; ++i) {
    if (i % in_group != 0) before[i] = with(before[i - 1], odds[i - 1]);
  }
  for (std::size_t i = experts; i-- > 0;) {
    from[i] = with((i + 1) % in_group == 0 ? nothing : from[i + 1], odds[i]);
  }
  std::vector<ChoiceSums> all;
  for (std::size_t first = 0; first < experts; first += in_group) all.push_back(from[first]);
  const double sum = all_choices(all, limit.chosen);
  double visited = 0;
  for (std::size_t first = 0; first < experts; first += in_place) {
    const std::size_t end = first + in_place;
    std::vector<ChoiceSums> others = all;
    for (std::size_t one = first / in_group; one * in_group < end; ++one) {
      const bool ends = end % in_group == 0 || (one + 1) * in_group < end;
      others[one] =
          joined(one == first / in_group ? before[first] : nothing, ends ? nothing : from[end]);
    }
    visited += 1 - all_choices(others, limit.chosen) / sum;
  }
  return visited;
}

}  // namespace sim
