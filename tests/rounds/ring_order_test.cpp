// SPDX-License-Identifier: Apache-2.0
// Rings over sites: in which order, and those that encode sums anew at every hop.
#include "sim/sites/ring_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

constexpr double kGBps = 1e9;

std::vector<int> places(int count) {
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

double round_s(const WideArea& area, RoundShape shape, RingOrder order) {
  shape.ring_order = order;
  return simulate_round(area, shape).round_s;
}

// Links of 1 GB/s within the pairs a, b and c, d, and of 10 GB/s between them: by name, a ring crosses
// both slow ones, and it need not cross any.
TEST(RingOrder, AvoidsSlowLinksWhereItCan) {
  const WideArea area =
      sites_with_links(4, [](int i, int j) { return i / 2 == j / 2 ? 1.0 : 10.0; });
  EXPECT_EQ(ordered_ring(area, places(4), RingOrder::best), (std::vector<int>{0, 2, 1, 3}));
  const RoundShape shape = equal_rounds(&exchanges::ring, 4, 10, 10 * kGBps);
  // 2 x 3 steps of a quarter.
  EXPECT_NEAR(round_s(area, shape, RingOrder::given), 10 + 15, 1e-6);
  EXPECT_NEAR(round_s(area, shape, RingOrder::best), 10 + 1.5, 1e-6);
  EXPECT_NEAR(round_s(area, shape, RingOrder::worst), 10 + 15, 1e-6);
}

// To the last bit, or names would decide between rings of which one has the lower latency.
TEST(RingOrder, WhereARingBeginsCostsNothing) {
  std::mt19937_64 random(2);
  const WideArea area =
      sites_with_links(7, [&](int, int) { return std::uniform_real_distribution<>(1, 9)(random); });
  const WideTopology topology(area);
  std::vector<int> ring = places(7);
  const RingCost cost = ring_cost(topology, ring);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    std::rotate(ring.begin(), ring.begin() + 1, ring.end());
    EXPECT_EQ(ring_cost(topology, ring), cost);
  }
}

TEST(RingOrder, OfFewSitesIsTheBestAndTheWorstOfAll) {
  std::mt19937_64 random(1);
  for (int draw = 0; draw < 20; ++draw) {
    const WideArea area = sites_with_links(6, [&](int, int) {
      return std::exp(std::uniform_real_distribution<>(0, std::log(100))(random));
    });
    const WideTopology topology(area);
    const RingCost best = ring_cost(topology, ordered_ring(area, places(6), RingOrder::best));
    const RingCost worst = ring_cost(topology, ordered_ring(area, places(6), RingOrder::worst));
    std::vector<int> ring = places(6);
    do {
      const RingCost cost = ring_cost(topology, ring);
      EXPECT_LE(best, cost);
      EXPECT_GE(worst, cost);
    } while (std::next_permutation(ring.begin() + 1, ring.end()));
  }
}

TEST(RingOrder, OfManySitesIsNeverSlowerThanTheGivenOne) {
  std::mt19937_64 random(2);
  for (const int count : {9, 20}) {
    const WideArea area = sites_with_links(count, [&](int, int) {
      return std::exp(std::uniform_real_distribution<>(0, std::log(100))(random));
    });
    const WideTopology topology(area);
    const std::vector<int> ring = ordered_ring(area, places(count), RingOrder::best);
    EXPECT_TRUE(std::ranges::is_permutation(ring, places(count)));
    EXPECT_LT(ring_cost(topology, ring).s_per_byte,
              ring_cost(topology, places(count)).s_per_byte / 2);
  }
}

// Whether the slowest line decides, which every ring crosses, or a link that some rings avoid.
TEST(RingOrder, OfManySitesNoExchangeOrReversalMakesFaster) {
  std::mt19937_64 random(3);
  const auto rate = [&] { return std::exp(std::uniform_real_distribution<>(0, 4)(random)); };
  for (int draw = 0; draw < 10; ++draw) {
    const bool by_lines = draw % 2 == 0;
    WideArea area = sites_with_links(11, [&](int, int) { return by_lines ? 100 : rate(); });
    for (Site& site : area.sites) {
      for (Bandwidth* line : {&site.uplink, &site.downlink}) {
        *line = Bandwidth::from_base((by_lines ? rate() : 100) * kGBps);
      }
    }
    const WideTopology topology(area);
    const std::vector<int> ring = ordered_ring(area, places(11), RingOrder::best);
    const RingCost cost = ring_cost(topology, ring);
    for (auto i = ring.begin() + 1; i != ring.end(); ++i) {
      for (auto j = i + 1; j != ring.end(); ++j) {
        std::vector<int> other = ring;
        std::swap(other[static_cast<std::size_t>(i - ring.begin())],
                  other[static_cast<std::size_t>(j - ring.begin())]);
        EXPECT_LE(cost, ring_cost(topology, other));
        other = ring;
        std::reverse(other.begin() + (i - ring.begin()), other.begin() + (j - ring.begin()) + 1);
        EXPECT_LE(cost, ring_cost(topology, other));
      }
    }
  }
}

// What sites are called decides the given order alone.
TEST(RingOrder, TheBestDoesNotDependOnNames) {
  const auto rate = [](int i, int j) { return 1.0 + (i * 7 + j * j * 3) % 11; };
  const std::vector<int> other{3, 1, 4, 0, 2};
  const WideArea area = sites_with_links(5, rate);
  const WideArea renamed = sites_with_links(5, [&](int i, int j) {
    const auto [a, b] =
        std::minmax(other[static_cast<std::size_t>(i)], other[static_cast<std::size_t>(j)]);
    return rate(a, b);
  });
  const RoundShape shape = equal_rounds(&exchanges::ring, 5, 10, 10 * kGBps);
  EXPECT_NE(round_s(area, shape, RingOrder::given), round_s(renamed, shape, RingOrder::given));
  for (const RingOrder order : {RingOrder::best, RingOrder::worst}) {
    EXPECT_NEAR(round_s(area, shape, order), round_s(renamed, shape, order), 1e-9);
  }
}

// Hops that share the one backbone share its rate, in whatever order.
TEST(RingOrder, OfSitesThatAreAlikeChangesNothing) {
  const WideArea area = equal_sites(5, 10 * kGBps, 10_ms);
  const RoundShape shape = equal_rounds(&exchanges::ring, 5, 10, 10 * kGBps);
  EXPECT_EQ(round_s(area, shape, RingOrder::best), round_s(area, shape, RingOrder::given));
  EXPECT_EQ(round_s(area, shape, RingOrder::worst), round_s(area, shape, RingOrder::given));
}

// Three sites: two steps of a third each way, with a sum after each of the first two.
TEST(QuantizedRing, AddsAndEncodesAfterEachStepOfTheFirstHalf) {
  RoundShape shape = equal_rounds(&exchanges::quantized_ring, 3, 10, 30 * kGBps);
  for (SiteWork& site : shape.sites) {
    site.encode_s = 0.5;
    site.sum_s = 0.25;
    site.decode_s = 0.125;
  }
  const WideArea area = equal_sites(3, 10 * kGBps, 30_ms);
  EXPECT_NEAR(simulate_round(area, shape).round_s,
              10 + 0.5 + 2 * (1 + 0.03) + 2 * 0.25 + 2 * (1 + 0.03) + 0.125, 1e-6);
}

// Without codecs it is the ring that adds up in flight.
TEST(QuantizedRing, WithoutKernelsIsTheRing) {
  for (const int sites : {2, 3, 7}) {
    const WideArea area = equal_sites(sites, 10 * kGBps, 20_ms);
    EXPECT_NEAR(
        simulate_round(area, equal_rounds(&exchanges::quantized_ring, sites, 10, 10 * kGBps))
            .round_s,
        simulate_round(area, equal_rounds(&exchanges::ring, sites, 10, 10 * kGBps)).round_s, 1e-6);
  }
}

}  // namespace
}  // namespace sim
