// SPDX-License-Identifier: Apache-2.0
// Which link is to blame for a round that never ends.
#include <gtest/gtest.h>

#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

// What b sends to c goes by way of a, so that it crosses the backbone twice, and carries less over it than
// over the slower uplink of a.
TEST(NeverEnds, ALinkThatIsCrossedTwiceIsHalfAsFast) {
  WideArea area = three_sites();
  area.links.push_back({.name = "bc",
                        .between = {"b", "c"},
                        .bandwidth = Bandwidth::from_base(10 * kGB),
                        .dead = true});
  area.backbone->bandwidth = Bandwidth::from_base(2e-3);
  const auto event = [&](double uplink_Bps) {
    area.sites.front().uplink = Bandwidth::from_base(uplink_Bps);
    const RoundResult result = simulate_round(area, ten_steps(&exchanges::all_gather));
    EXPECT_EQ(result.outcome, RoundOutcome::aborted);
    return result.events.empty() ? "" : result.events.front();
  };
  EXPECT_NE(event(1.5e-3).find("(backbone.bandwidth)"), std::string::npos) << event(1.5e-3);
  EXPECT_NE(event(0.5e-3).find(".uplink)"), std::string::npos) << event(0.5e-3);
}

}  // namespace
}  // namespace sim
