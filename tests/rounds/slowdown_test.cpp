// SPDX-License-Identifier: Apache-2.0
// What a site's messages take from its kernels while they pass.
#include <gtest/gtest.h>

#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

// To each of three others a site sends at once, directly or for others: a third of its slowdown each.
TEST(Slowdown, IsSharedByTheMessagesThatASiteSendsAtOnce) {
  constexpr double kSlowdown = 1.25;
  for (const Exchange* exchange :
       {&exchanges::all_gather, &exchanges::grouped_gather, &exchanges::tree_gather}) {
    WideArea area = equal_sites(1, 10 * kGB);
    for (const char* name : {"b", "c", "d"}) {
      area.sites.push_back(area.sites.front());
      area.sites.back().name = name;
    }
    RoundShape shape = equal_rounds(exchange, 4, 10, 10 * kGB);
    for (SiteWork& site : shape.sites) site.slowdown = kSlowdown;
    const RoundPlan plan = plan_round(area, shape);
    int messages = 0;
    for (const Operation& operation : plan.schedule.operations) {
      if (operation.kind != OperationKind::flow) continue;
      ++messages;
      const Occupancy& taken = plan.schedule.occupancies[operation.occupancy];
      EXPECT_NEAR(taken.memory_share, (1 - 1 / kSlowdown) / 3, 1e-12) << exchange->name;
    }
    EXPECT_EQ(messages, 4 * 3) << exchange->name;
  }
}

}  // namespace
}  // namespace sim
