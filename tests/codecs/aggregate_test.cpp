// SPDX-License-Identifier: Apache-2.0
// The aggregation of peers' wires, by hand on few values.
#include "codecs/aggregate/aggregate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codecs/top_k/top_k.hpp"
#include "tests/codecs/wire.hpp"

namespace codecs {
namespace {

constexpr std::size_t kElements = 4096 + 100;

struct Sent {
  std::size_t index;
  float value;
};

// One wire a peer, which sends just these.
std::vector<std::byte> wires_of(const std::vector<std::vector<Sent>>& peers) {
  std::vector<std::byte> wires;
  for (const auto& peer : peers) {
    std::vector<float> values(kElements, 0.0f);
    for (const Sent& sent : peer) values[sent.index] = sent.value;
    const auto wire = encoded(topk64, values);
    wires.insert(wires.end(), wire.begin(), wire.end());
  }
  return wires;
}

// Every peer fills its 64 + 2 slots, with zeros at the lowest indices; 4000 and 4100 are not among
// them.
TEST(Aggregate, DividesByThoseThatSentOrByAllPeers) {
  const auto wires = wires_of({{{4000, 3}, {4100, 1}}, {{4000, 1}, {4100, 3}}, {{3000, -2}}});
  std::vector<float> averages(kElements);
  aggregate(topk64.format, {.average = Average::senders, .clip = false}, wires, 3, averages);
  EXPECT_EQ(averages[4000], 2);
  EXPECT_EQ(averages[3000], -2);
  EXPECT_EQ(averages[5], 0);
  aggregate(topk64.format, {.average = Average::peers, .clip = false}, wires, 3, averages);
  EXPECT_EQ(averages[4000], 4.0f / 3);
  EXPECT_EQ(averages[3000], -2.0f / 3);
}

// Norms 5, 10 and 1: the median is 5, so the second is halved and no other scaled up.
TEST(Aggregate, ScalesLargePeersDownToTheMedian) {
  const auto wires = wires_of({{{4000, 3}, {3000, 4}}, {{4000, 10}}, {{100, 1}}});
  const auto factors = peer_factors(topk64.format, {}, wires, 3, kElements);
  EXPECT_EQ(factors, (std::vector<float>{1, 0.5f, 1}));
  std::vector<float> averages(kElements);
  aggregate(topk64.format, {}, wires, 3, averages);
  EXPECT_EQ(averages[4000], 4);  // (3 + 5) / 2
}

TEST(Aggregate, TakesTheLowerMedianOfAnEvenNumber) {
  const auto wires = wires_of({{{4000, 4}}, {{4000, 1}}, {{4000, 8}}, {{4000, 2}}});
  EXPECT_EQ(peer_factors(topk64.format, {}, wires, 4, kElements),
            (std::vector<float>{0.5f, 1, 0.25f, 1}));
}

TEST(Aggregate, LeavesOutPeersThatAreNotFinite) {
  for (const float special :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const auto wires = wires_of({{{4000, 4}}, {{4000, special}}, {{4000, 4}}});
    EXPECT_LT(peer_factors(topk64.format, {}, wires, 3, kElements)[1], 0);
    for (const Average average : {Average::senders, Average::peers}) {
      std::vector<float> averages(kElements);
      aggregate(topk64.format, {.average = average}, wires, 3, averages);
      EXPECT_EQ(averages[4000], 4);
    }
  }
}

TEST(Aggregate, OuterStepDescends) {
  std::vector<float> parameters{1, 2};
  outer_step(0.5f, std::vector<float>{2, -4}, parameters);
  EXPECT_EQ(parameters, (std::vector<float>{0, 4}));
}

TEST(Aggregate, RefusesSizesThatDisagree) {
  std::vector<float> averages(kElements);
  EXPECT_THROW(aggregate(topk64.format, {}, {}, 1, averages), std::invalid_argument);
}

}  // namespace
}  // namespace codecs
