// SPDX-License-Identifier: Apache-2.0
// Very many flows over few links: FairShares finds the times that SimGrid finds.
#include "sim/engine/fair_shares.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "sim/engine/simulate.hpp"
#include "sim/schedule/builder.hpp"

namespace sim {
namespace {

// All sites send to all others twice, each over its line up, the receiver's line down and, where
// asked for, what its region shares, the connections of the pair and a backbone that is faster than all
// lines. All numbers are random.
struct Unlike {
  bool connections = false, regions = false, changes = false, follows_rates = false,
       backbone = false;
  double latest_s = 0;  // when a flow's bytes begin
};

constexpr std::uint32_t kSites = 36;

class Sites {
 public:
  explicit Sites(const Unlike& unlike) : unlike_(unlike) {
    for (std::uint32_t line = 0; line < 2 * kSites; ++line) {
      wiring.links.push_back({.name = "line_" + std::to_string(line), .rate_Bps = rate()});
      if (unlike.changes && line % 5 == 0) {
        wiring.links.back().changes = {{between(5, 50), rate() / 4}, {between(60, 90), 0}};
        wiring.links.back().repeats_s = between(95, 200);
      }
    }
    shared();
    send_to_all();
    send_to_all();
    schedule = std::move(builder_).finish();
  }

  Wiring wiring;
  Schedule schedule;

 private:
  double between(double least, double most) {
    return std::uniform_real_distribution<double>(least, most)(random_);
  }
  double rate() { return between(1e8, 1e9); }

  // Outages are SimGrid's, even of a link that nothing crosses. Of the others, only one flow crosses
  // the last.
  void shared() {
    for (const char* name : {"spare", "region_0", "region_1", "lone", "backbone"}) {
      wiring.links.push_back({.name = name, .rate_Bps = 20 * rate()});
    }
    wiring.links.back().rate_Bps = kSites * 1e9;
    wiring.routes.push_back({{2 * kSites + 3, 1}});
    builder_.flow(builder_.add_own_route({}), 0, Phase::none, "send", 0, 1e11, {});
  }

  std::uint32_t route(std::uint32_t source, std::uint32_t receiver) {
    std::vector<Crossing> way{{2 * source, 1 + static_cast<int>(source % 3)},
                              {2 * receiver + 1, 1}};
    if (unlike_.regions && source % 2 != receiver % 2) {
      way.push_back({2 * kSites + 1 + source % 2, 1});
    }
    if (unlike_.backbone) way.push_back({2 * kSites + 4, 1});
    if (unlike_.connections) {
      way.push_back({static_cast<LinkId>(wiring.links.size()), 1});
      wiring.links.push_back(
          {.name = "own_" + std::to_string(wiring.links.size()), .rate_Bps = between(2e6, 4e7)});
    }
    wiring.routes.push_back(way);
    return builder_.add_own_route({.channels = static_cast<double>(1 + receiver % 2)});
  }

  void send_to_all() {
    std::vector<std::vector<OperationId>> arrived(kSites);
    for (std::uint32_t source = 0; source < kSites; ++source) {
      const double site_s = between(0, 3 * unlike_.latest_s);
      const double bytes = between(0.9e9, 1.1e9);
      for (std::uint32_t receiver = 0; receiver < kSites; ++receiver) {
        if (receiver == source) continue;
        const ScheduleBuilder::Latency latency{
            .before_s = site_s + between(0, unlike_.latest_s),
            .on_the_way_s = unlike_.follows_rates ? between(0, 1) : 0};
        arrived[receiver].push_back(builder_.flow(
            route(source, receiver), 0, Phase::none, "send", latency, bytes,
            summed_.empty() ? std::vector<OperationId>{} : std::vector{summed_[source]}));
      }
    }
    summed_.clear();
    for (const auto& all : arrived) summed_.push_back(builder_.barrier(all));
  }

  Unlike unlike_;
  std::mt19937 random_{1};
  ScheduleBuilder builder_{1};
  std::vector<OperationId> summed_;  // by site
};

class FairSharesOf : public testing::TestWithParam<Unlike> {};

TEST_P(FairSharesOf, UnlikeSitesAreSimGrids) {
  const Sites sites(GetParam());
  ASSERT_TRUE(FairShares::suit(sites.wiring));
  const Outage outage{"spare", Seconds::from_base(1e5), Seconds::from_base(1e5 + 1)};
  const Timeline fair = simulate(sites.schedule, sites.wiring);
  const Timeline plain = simulate(sites.schedule, sites.wiring, {.outages = {outage}});
  ASSERT_EQ(fair.outcome, Outcome::complete);
  for (std::size_t id = 0; id < plain.end_s.size(); ++id) {
    ASSERT_NEAR(fair.end_s[id], plain.end_s[id], 1e-8 + 1e-9 * plain.end_s[id]) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Random, FairSharesOf,
    testing::Values(Unlike{}, Unlike{.latest_s = 5}, Unlike{.connections = true, .latest_s = 5},
                    Unlike{.connections = true, .regions = true},
                    Unlike{.regions = true, .changes = true, .latest_s = 5},
                    Unlike{.changes = true, .backbone = true, .latest_s = 5},
                    Unlike{.regions = true, .follows_rates = true, .latest_s = 5}));

}  // namespace
}  // namespace sim
