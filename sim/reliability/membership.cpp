// SPDX-License-Identifier: Apache-2.0
#include "sim/reliability/membership.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "sim/base/error.hpp"

namespace sim {
namespace {

int sum(const std::vector<int>& members) {
  return std::accumulate(members.begin(), members.end(), 0);
}

}  // namespace

double ready_share(const MemberKind& kind) {
  if (std::isinf(kind.stays_s)) return 1;
  return kind.stays_s * std::exp(-kind.joins_s / kind.stays_s) / (kind.stays_s + kind.away_s);
}

double expected_per_second(const Membership& membership) {
  std::vector<int> members;
  for (const MemberKind& kind : membership.kinds) {
    members.push_back(static_cast<int>(std::lround(kind.count * ready_share(kind))));
  }
  if (sum(members) < std::max(1, membership.least)) return 0;
  const RoundLength round = membership.round(members);
  const double counted_s = std::min(round.handed_in_s, round.round_s);
  double kept = 0;
  for (std::size_t i = 0; i < membership.kinds.size(); ++i) {
    const MemberKind& kind = membership.kinds[i];
    const double counts = std::isinf(kind.stays_s) ? 1 : std::exp(-counted_s / kind.stays_s);
    kept += kind.count * round.of_each(kind, i) * ready_share(kind) * counts;
  }
  if (membership.save_every == 0) return kept / round.round_s;
  const double saves_s = membership.kinds[saving_kind(membership, members)].saves_s;
  return kept / (round.round_s + saves_s / membership.save_every);
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
