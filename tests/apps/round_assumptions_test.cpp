// SPDX-License-Identifier: Apache-2.0
// What rounds between sites rest on: each assumption moves a round as it says, and by 1 not at all.
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "apps/words.hpp"
#include "sim/study/search/assumptions.hpp"
#include "sim/study/simulation.hpp"
#include "tests/apps/answers.hpp"
#include "tests/apps/jobs.hpp"

namespace sim::study {
namespace {

using apps_tests::job_of;

const std::string kSites = "--topology two_sites_10g --model gpt_125m --set model.layers=2 ";
// Two sites of two nodes whose round each assumption is a part of: nothing overlaps.
const std::string kAll = kSites +
                         "--inner-scheme sdp4bit --attention fused --set scheme.inner_steps=2 "
                         "--set sites.east.nodes=2 --set sites.west.nodes=2 ";
const std::string kPaths = kAll + "--scheme sparseloco ";
// Channels of collectives beside kernels take SMs from them.
const std::string kOverlapping = kPaths + "--overlap all --accumulation 4 ";
// TCP's rate is what loss leaves it.
const std::string kLossy = kPaths + "--set links.line.loss=0.01 ";
const std::string kStore = kAll +
                           "--scheme sparseloco_store --set store.upload=2Gbps "
                           "--set store.download=2Gbps --set store.request=50ms "
                           "--set store.latency=10ms --set store.egress=0USD/GB ";

const Assumption& named_of_sites(std::string_view name) {
  for (const Assumption& one : assumptions()) {
    if (one.name == name) return one;
  }
  throw std::logic_error("no such assumption");
}

const std::string& flags_with(std::string_view name) {
  return name == "store_request" ? kStore
         : name == "wan_loss"    ? kLossy
         : name == "channels"    ? kOverlapping
                                 : kPaths;
}

double seconds_per_round(const Job& job) { return seconds_of(job, job.setups.front()); }

std::vector<std::string> names_of_sites() {
  std::vector<std::string> names_of_sites;
  for (const Assumption& one : assumptions()) names_of_sites.emplace_back(one.name);
  return names_of_sites;
}

class RoundAssumptions : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, RoundAssumptions, testing::ValuesIn(names_of_sites()),
                         [](const auto& one) { return one.param; });

TEST_P(RoundAssumptions, MoveTheRoundInTheirDirection) {
  const Job job = job_of(flags_with(GetParam()));
  ASSERT_TRUE(rests_on(job, named_of_sites(GetParam())));
  const double as_is = seconds_per_round(job);
  EXPECT_EQ(seconds_per_round(scaled(job, named_of_sites(GetParam()), 1)), as_is);
  // Channels come in multiples of a node's NICs.
  const double much = GetParam() == "channels" ? 1.6 : 1.25;
  for (const double factor : {1 / much, much}) {
    const double other = seconds_per_round(scaled(job, named_of_sites(GetParam()), factor));
    EXPECT_EQ(other < as_is, (factor > 1) == named_of_sites(GetParam()).more_is_faster) << factor;
    EXPECT_NE(other, as_is);
  }
}

TEST_P(RoundAssumptions, HaveASpreadWithItsSource) {
  const Spread spread = spread_of(job_of(flags_with(GetParam())), named_of_sites(GetParam()));
  EXPECT_GT(spread.of_logarithm, 0);
  EXPECT_LT(spread.of_logarithm, 2);
  EXPECT_FALSE(spread.source.empty());
  EXPECT_EQ(spread.source.find('\n'), std::string::npos);
}

// What the flags say is what was simulated, to their six digits.
TEST_P(RoundAssumptions, AreToldToRunByTheirFlags) {
  const std::string& as_is = flags_with(GetParam());
  const Job other = scaled(job_of(as_is), named_of_sites(GetParam()), 1.25);
  const std::string flags = apps::with_flags(fields_of(other, named_of_sites(GetParam())));
  const bool can_be_told = named_of_sites(GetParam()).concern == Concern::wide_area ||
                           GetParam() == "codec_time" || GetParam() == "host_issue";
  EXPECT_EQ(flags.empty(), !can_be_told) << flags;
  if (can_be_told) {
    const double told = apps_tests::json_of("run " + as_is + flags)["round_time_s"];
    EXPECT_NEAR(told / seconds_per_round(other), 1, 1e-5) << flags;
  }
}

TEST(RoundAssumptions, HaveNamesOfTheirOwn) {
  const std::vector<std::string> all = names_of_sites();
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), all.size());
}

// A constant that the sites do not have is none: what no path loses, a request to no storage.
TEST(RoundAssumptions, AreOfWhatIsThere) {
  const Job lossless = job_of(kSites + "--scheme diloco");
  EXPECT_FALSE(rests_on(lossless, named_of_sites("wan_loss")));
  EXPECT_FALSE(rests_on(lossless, named_of_sites("store_request")));
  EXPECT_TRUE(rests_on(lossless, named_of_sites("wan_bandwidth")));
  const Job alone = job_of(kSites + "--scheme diloco --set sites.west.count=0");
  EXPECT_FALSE(rests_on(alone, named_of_sites("wan_bandwidth")));
  EXPECT_TRUE(rests_on(alone, named_of_sites("nic_bandwidth")));
  EXPECT_FALSE(rests_on(Job{}, named_of_sites("wan_bandwidth")));
  EXPECT_TRUE(rests_on(Job{}, named_of_sites("nic_bandwidth")));
}

// Twice the bandwidths and half the latencies of everything is a round in half the time; TCP's
// window gives twice the rate at half the round trip.
TEST(RoundAssumptions, TogetherAreAllThatARoundsTimeComesFrom) {
  Job job = job_of(kSites + "--scheme diloco --set scheme.inner_steps=10");
  const double as_is = seconds_per_round(job);
  for (const Assumption& one : assumptions()) {
    // Codecs' kernels go by the memory's bandwidth and by launches, where none was measured.
    if (!rests_on(job, one) || one.name == "codec_time") continue;
    job = scaled(job, one, one.more_is_faster ? 2 : 0.5);
  }
  EXPECT_NEAR(seconds_per_round(job) / as_is, 0.5, 0.01);
}

// 50 million parameters in FP32 over 10 Mb/s: the round is its exchange, whose time is the inverse
// of the rate.
TEST(RoundAssumptions, OfARoundThatIsAllExchangeAreTheBandwidthAlone) {
  const Job job = job_of(
      kSites + "--scheme diloco --set scheme.inner_steps=1 --set links.line.bandwidth=10Mbps");
  const double as_is = seconds_per_round(job);
  const auto share = [&](const char* name) {
    return sensitivity(job, job.setups.front(), named_of_sites(name), as_is);
  };
  EXPECT_NEAR(share("wan_bandwidth"), 1, 0.001);
  EXPECT_NEAR(share("wan_latency"), 0, 0.001);
  EXPECT_NEAR(share("matrix_rate"), 0, 0.001);
}

TEST(RoundAssumptions, OfARoundThatNeverEndsAreInfinite) {
  const Job job = job_of(kSites + "--scheme diloco --set sites.west.drops_out=1ms");
  EXPECT_TRUE(std::isinf(seconds_per_round(job)));
}

}  // namespace
}  // namespace sim::study
