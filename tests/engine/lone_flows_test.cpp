// SPDX-License-Identifier: Apache-2.0
// Flows that meet no other are kept from SimGrid. No time may tell.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/schedule/builder.hpp"

namespace sim {
namespace {

constexpr double kRate_Bps = 1e9;
constexpr double kOnTheWay_s = 1e-9;

OperationId endless_flow(ScheduleBuilder& builder, std::uint32_t route, double before_s,
                         double bytes, std::vector<OperationId> after = {}) {
  return builder.flow(route, 0, Phase::none, "flow",
                      {.before_s = before_s, .on_the_way_s = kOnTheWay_s}, bytes, after);
}

TEST(LoneFlows, ShareTheirLinkFromWhenAnotherOneComes) {
  ScheduleBuilder builder(1);
  const std::uint32_t route = builder.add_own_route({}), other = builder.add_own_route({});
  const auto first = endless_flow(builder, route, 0, 1e9);  // alone, by SimGrid
  const auto second = endless_flow(builder, route, 0, 2e9, {first});
  const auto third = endless_flow(builder, other, 1, 1e9, {first});
  const auto last = endless_flow(builder, route, 0, 1e9, {second, third});
  const Schedule schedule = std::move(builder).finish();
  const Wiring wiring{.links = {{.name = "link", .rate_Bps = kRate_Bps}}, .routes = {{{0}}, {{0}}}};
  const Timeline timeline = simulate(schedule, wiring);
  // The second has moved 1 of its 2 GB when the third begins, at 2 s, and both then have half of the link.
  EXPECT_NEAR(timeline.end_s[first], 1, 1e-6);
  EXPECT_NEAR(timeline.end_s[second], 4, 1e-6);
  EXPECT_NEAR(timeline.end_s[third], 4, 1e-6);
  EXPECT_NEAR(timeline.end_s[last], 5, 1e-6);
}

// The same flows beside a link that changes after all have ended: SimGrid has all flows then.
TEST(LoneFlows, TakeAsLongAsSimGridSays) {
  const std::vector<std::vector<Crossing>> routes = {{{0}}, {{1, 2}}, {{0}, {1}}, {{2}}, {{3}}};
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::mt19937 draw(seed);
    const auto up_to = [&](unsigned most) { return static_cast<std::uint32_t>(draw() % most); };
    ScheduleBuilder builder(1);
    for (std::size_t i = 0; i < routes.size(); ++i) static_cast<void>(builder.add_own_route({}));
    std::vector<OperationId> flows;
    for (int i = 0; i < 60; ++i) {
      std::vector<OperationId> after;
      if (i > 3) after.push_back(flows[flows.size() - 1 - up_to(4)]);
      flows.push_back(
          endless_flow(builder, up_to(5), 1e-3 * up_to(3), 1e6 * (1 + up_to(9)), after));
    }
    const Schedule schedule = std::move(builder).finish();
    Wiring wiring{.links = {{.name = "a", .rate_Bps = kRate_Bps},
                            {.name = "b", .rate_Bps = 3 * kRate_Bps},
                            {.name = "c", .rate_Bps = kRate_Bps / 7},
                            {.name = "d", .rate_Bps = kRate_Bps / 3},
                            {.name = "fast", .rate_Bps = 1e3 * kRate_Bps}},
                  .routes = routes};
    wiring.routes.back().push_back({4});
    const Timeline kept = simulate(schedule, wiring);
    wiring.links.back().changes = {{1e6, 2e3 * kRate_Bps}};
    const Timeline given = simulate(schedule, wiring);
    EXPECT_EQ(kept.start_s, given.start_s) << seed;
    EXPECT_EQ(kept.end_s, given.end_s) << seed;
  }
}

}  // namespace
}  // namespace sim
