// SPDX-License-Identifier: Apache-2.0
#include "sim/reliability/membership.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "sim/base/error.hpp"

namespace sim {
namespace {

int sum(const std::vector<int>& members) {
  return std::accumulate(members.begin(), members.end(), 0);
}

// As many members as are ready on average, rounded to a whole number over all kinds: of each kind the
// whole ones, and one more of those whose rest is largest. Equal members are as many in one kind as in
// several.
std::vector<int> mean_members(const Membership& membership) {
  constexpr double kRounding = 1e-9;
  std::vector<int> members;
  std::vector<double> rests;
  for (const MemberKind& kind : membership.kinds) {
    const double mean = kind.count * ready_share(kind);
    members.push_back(static_cast<int>(mean + kRounding));
    rests.push_back(mean - members.back());
  }
  std::vector<std::size_t> by_rest = membership.in_order();
  std::ranges::stable_sort(by_rest, std::ranges::greater{},
                           [&](std::size_t kind) { return rests[kind]; });
  const auto more =
      static_cast<std::size_t>(std::lround(std::accumulate(rests.begin(), rests.end(), kRounding)));
  for (std::size_t i = 0; i < more; ++i) ++members[by_rest[i]];
  return members;
}

}  // namespace

std::vector<std::size_t> Membership::in_order() const {
  if (!order.empty()) return order;
  std::vector<std::size_t> as_given(kinds.size());
  std::iota(as_given.begin(), as_given.end(), std::size_t{0});
  return as_given;
}

double ready_share(const MemberKind& kind) {
  if (std::isinf(kind.stays_s)) return 1;
  return kind.stays_s * std::exp(-kind.joins_s / kind.stays_s) / (kind.stays_s + kind.away_s);
}

double expected_per_second(const Membership& membership) {
  const std::vector<int> members = mean_members(membership);
  if (sum(members) < std::max(1, membership.least)) return 0;
  const RoundLength round = membership.round(members);
  const double counted_s = std::min(round.handed_in_s, round.round_s);
  double kept = 0;
  for (std::size_t i = 0; i < membership.kinds.size(); ++i) {
    const MemberKind& kind = membership.kinds[i];
    const double counts = std::isinf(kind.stays_s) ? 1 : std::exp(-counted_s / kind.stays_s);
    // One that is not among them contributes what it does with all.
    const double each = members[i] > 0 ? round.of_each(kind, i) : kind.per_round;
    kept += kind.count * each * ready_share(kind) * counts;
  }
  if (membership.save_every == 0) return kept / round.round_s;
  const double saves_s =
      membership.kinds[saving_kind(membership, members)].saves_s / membership.save_every;
  return kept /
         (membership.saves_beside ? std::max(round.round_s, saves_s) : round.round_s + saves_s);
}

std::size_t saving_kind(const Membership& membership, std::span<const int> members) {
  std::optional<std::size_t> soonest;
  for (std::size_t kind = 0; kind < membership.kinds.size(); ++kind) {
    if (members[kind] == 0) continue;
    if (!soonest || membership.kinds[kind].saves_s < membership.kinds[*soonest].saves_s) {
      soonest = kind;
    }
  }
  require(soonest.has_value(), "a member that writes");
  return *soonest;
}

}  // namespace sim
