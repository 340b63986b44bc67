// SPDX-License-Identifier: Apache-2.0
// What the bytes of a round are where sites are late: what the links have carried, under every exchange.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "sim/sites/pairings.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

// By wired link, the mean over the rounds.
std::vector<double> bytes_of_a_round(const RoundResult& result) {
  const Schedule& schedule = result.plan.schedule;
  std::vector<double> bytes(result.wiring.links.size());
  for (std::size_t id = 0; id < schedule.operations.size(); ++id) {
    if (schedule.operations[id].kind != OperationKind::flow) continue;
    for (const auto& [link, times] : result.wiring.routes[schedule.operations[id].route]) {
      bytes[link] += result.timeline.carried_bytes(schedule, id) * times / result.shape.rounds;
    }
  }
  return bytes;
}

double carried_by(const RoundResult& result, const std::string& name) {
  const auto link = std::ranges::find(result.wiring.links, name, &Link::name);
  if (link == result.wiring.links.end()) return 0;
  return bytes_of_a_round(result)[static_cast<std::size_t>(link - result.wiring.links.begin())];
}

// A line of 1 GB/s begins to send after 10 s, and is cut off when the others have their result; a partner
// cuts it off at the deadline, in two rounds of three.
TEST(CarriedBytes, OfALateSiteAreThoseUntilTheExchangeIsOver) {
  WideArea area = three_served_sites();
  area.sites[2].uplink = Bandwidth::from_base(kGB);
  for (const Exchange* exchange : all_exchanges()) {
    if (exchange->is_ring) continue;  // as slow as its slowest line
    RoundShape shape = ten_steps(exchange);
    for (SiteWork& work : shape.sites) work.part_bytes = work.whole_bytes;  // in time for nobody
    if (exchange->joins_two) shape.rounds = pairing_count(3);
    const RoundResult result = simulate_round(area, shape, {.deadline = 12.5_s});
    EXPECT_EQ(result.outcome, RoundOutcome::partial) << exchange->name;
    EXPECT_EQ(result.shape.fates[2], Fate::skipped) << exchange->name;
    EXPECT_GE(result.round_s, exchange->joins_two ? 12 : 12.5 - 1e-6) << exchange->name;
    const double until_s = exchange->joins_two ? 2.5 * 2 / 3 : result.round_s - 10;
    EXPECT_NEAR(carried_by(result, "up_c") / kGB, until_s, 1e-6) << exchange->name;
  }
}

// The leader, which is alone at the deadline, has received over its line of 10 GB/s for half a second; it
// sends nothing before it goes on.
TEST(CarriedBytes, ToALeaderThatGoesOnAloneAreThoseUntilTheDeadline) {
  const WideArea area = three_sites();
  const std::string leader = area.sites.front().name;
  RoundShape shape = ten_steps(&exchanges::leader);
  for (const Seconds deadline : {10.5_s, 11_s, 11.9_s}) {
    const RoundResult result = simulate_round(area, shape, {.deadline = deadline});
    EXPECT_EQ(std::ranges::count(result.shape.fates, Fate::skipped), 2);
    EXPECT_NEAR(result.round_s, deadline.base(), 1e-6);
    EXPECT_NEAR(carried_by(result, "down_" + leader), 10 * kGB * (deadline.base() - 10), 1);
    EXPECT_EQ(carried_by(result, "up_" + leader), 0);
  }
}

// In time, all is carried: 2 x 10 GB to the leader, and back.
TEST(CarriedBytes, OfSitesThatAreHeardAreAll) {
  const WideArea area = three_sites();
  const std::string leader = area.sites.front().name;
  const RoundResult result =
      simulate_round(area, ten_steps(&exchanges::leader), {.deadline = 30_s});
  EXPECT_EQ(carried_by(result, "down_" + leader), 20 * kGB);
  EXPECT_EQ(carried_by(result, "up_" + leader), 20 * kGB);
}

// Whatever sites are like: some are slow, late or lost, for a leader that waits for a quorum, too.
TEST(CarriedBytes, AreNoMoreThanLinksCarryInARound) {
  std::mt19937 random(7);
  const auto one_of = [&](std::vector<double> values) { return values[random() % values.size()]; };
  int partial = 0;
  for (const Exchange* exchange : all_exchanges()) {
    for (int i = 0; i < 8; ++i) {
      WideArea area = three_served_sites();
      RoundShape shape = ten_steps(exchange);
      area.backbone->latency = Seconds::from_base(one_of({1e-6, 0.01, 1}));
      for (std::size_t place = 0; place < area.sites.size(); ++place) {
        Site& site = area.sites[place];
        site.uplink = Bandwidth::from_base(one_of({0.1, 1, 10, 10}) * kGB);
        site.downlink = Bandwidth::from_base(one_of({0.1, 1, 10, 10}) * kGB);
        shape.sites[place].start_s = one_of({0, 0, 0, 3, 100});
        const double drops_s = one_of({0, 0, 0, 0, 5, 12, 25});
        if (drops_s > 0) site.drops_out = Seconds::from_base(drops_s);
      }
      shape.overlap_steps = static_cast<int>(one_of({0, 0, 2}));
      shape.fragments = static_cast<int>(one_of({1, 1, 2}));
      shape.rounds =
          (exchange->joins_two ? pairing_count(3) : 1) * (shape.overlap_steps > 0 ? 3 : 1);
      const Patience patience{.deadline = Seconds::from_base(one_of({12, 15, 30})),
                              .quorum = exchange->has_leader ? static_cast<int>(random() % 3) : 0,
                              .grace = 1_s};
      const RoundResult result = simulate_round(area, shape, patience);
      if (result.outcome == RoundOutcome::aborted) continue;
      if (result.outcome == RoundOutcome::partial) ++partial;
      const std::vector<double> bytes = bytes_of_a_round(result);
      for (std::size_t link = 0; link < bytes.size(); ++link) {
        const double most = capacity_bytes(result.wiring.links[link], result.round_s);
        EXPECT_LE(bytes[link], most * (1 + 1e-9) + 1)
            << exchange->name << " " << i << ": " << result.wiring.links[link].name;
      }
    }
  }
  EXPECT_GT(partial, 30);
}

}  // namespace
}  // namespace sim
