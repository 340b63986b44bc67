// SPDX-License-Identifier: Apache-2.0
// Late and lost sites, and where the time of a round goes: what holds of every scheme between sites.
#include <gtest/gtest.h>

#include <algorithm>

#include "sim/program/plan_step.hpp"
#include "sim/rounds/round_report.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

std::filesystem::path shipped_file(const std::string& file) {
  return std::filesystem::path(GARDENHOSE_SOURCE_DIR) / file;
}

double sum_of(const TimeParts& parts) {
  return parts.compute_s + parts.exposed_comm_s + parts.codec_s + parts.host_s + parts.bubble_s +
         parts.optimizer_s + parts.other_s;
}

class LateSites : public testing::TestWithParam<const Scheme*> {
 protected:
  static constexpr int kSites = 4;

  // Two regions of two equal sites, tables of their own.
  WideArea area() const {
    WideArea area = equal_sites(1, 2e9, 20_ms);
    area.sites.front().cluster = part_of(cluster_, 1, 8);
    const Site site = area.sites.front();
    area.sites.assign(kSites, site);
    for (std::size_t i = 0; i < kSites; ++i) {
      area.sites[i].name = std::string(1, static_cast<char>('a' + i));
      area.sites[i].region = i < 2 ? "east" : "west";
    }
    area.store =
        Store{.upload = Bandwidth::from_base(1e10), .download = Bandwidth::from_base(1e10)};
    return area;
  }
  WideArea with_late_site() const {
    WideArea one_late = area();
    one_late.sites[3].late = 200_s;
    return one_late;
  }
  Report report(const WideArea& area, const std::optional<Seconds>& deadline = {}) const {
    const RoundContext context{area, model_, calibrations_, optimized_for(*GetParam()), sharded_};
    const RoundResult result = simulate_round(context, *GetParam(), deadline);
    Report report = summarize(context, *GetParam(), result);
    if (report.ended()) expect_parts(report);
    return report;
  }
  static double steps_s(const Report& report) {
    const SiteReport& site = report.round->by_site.front();
    return site.inner_steps * site.inner_step_s;
  }
  // Parts are the whole, none is negative, and inner steps are what they are.
  static void expect_parts(const Report& report) {
    EXPECT_NEAR(sum_of(report.time), report.time_s, 1e-9 * report.time_s);
    EXPECT_NEAR(report.time.compute_s, steps_s(report), 1e-12 * report.time_s);
    for (const double part : {report.time.exposed_comm_s, report.time.codec_s, report.time.bubble_s,
                              report.time.optimizer_s, report.time.other_s}) {
      EXPECT_GE(part, 0);
    }
  }
  // In units of what a site trains in a round.
  static double rounds_kept(const Report& report) {
    const SiteReport& site = report.round->by_site.front();
    return report.round->tokens / (static_cast<double>(site.sequences) * report.sequence *
                                   report.round->by_site.front().inner_steps);
  }
  bool sums_later() const {
    const SiteExchange& exchange = *GetParam()->between_sites;
    return exchange.delayed && exchange.exchange->has_leader;
  }

  const Cluster cluster_ = read_cluster(shipped_file("topologies/dgx_h100_x16.toml"));
  const Model model_ = read_model(shipped_file("traces/models/gpt_125m.toml"));
  const std::vector<Calibration> calibrations_ = std::vector<Calibration>(kSites, roofline());
  const Scheme sharded_ = scheme_named("sharded");
};
INSTANTIATE_TEST_SUITE_P(Every, LateSites,
                         testing::ValuesIn(all_schemes(SchemeKind::between_sites).begin(),
                                           all_schemes(SchemeKind::between_sites).end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST_P(LateSites, ADeadlineThatNoneMissesChangesNothing) {
  const Report without = report(area());
  const Report with = report(area(), 1000_s);
  EXPECT_EQ(with.round->outcome, "complete");
  EXPECT_EQ(with.time_s, without.time_s);
  EXPECT_EQ(with.tokens_per_s, without.tokens_per_s);
  EXPECT_EQ(with.time.exposed_comm_s, without.time.exposed_comm_s);
  EXPECT_EQ(with.time.bubble_s, without.time.bubble_s);
}

// Schemes whose rounds wait for a quorum of the sites, or for every site.
std::vector<const Scheme*> rows_with_quorum(bool quorum) {
  std::vector<const Scheme*> rows;
  for (const Scheme* one : all_schemes(SchemeKind::between_sites)) {
    if ((one->between_sites->quorum > 0) == quorum) rows.push_back(one);
  }
  return rows;
}

class SitesLateForAll : public LateSites {};
class SitesLateForAQuorum : public LateSites {};
INSTANTIATE_TEST_SUITE_P(Every, SitesLateForAll, testing::ValuesIn(rows_with_quorum(false)),
                         [](const auto& instance) { return std::string(instance.param->name); });
INSTANTIATE_TEST_SUITE_P(Every, SitesLateForAQuorum, testing::ValuesIn(rows_with_quorum(true)),
                         [](const auto& instance) { return std::string(instance.param->name); });

TEST_P(SitesLateForAQuorum, HardlyHoldUpRounds) {
  const Report punctual = report(area());
  const Report late = report(with_late_site());
  ASSERT_TRUE(late.ended());
  EXPECT_NEAR(late.time_s, punctual.time_s, 0.2 * punctual.time_s);
}

// The site is late in every round, and the others lose that time in each.
TEST_P(SitesLateForAll, HoldUpEveryRound) {
  const Report punctual = report(area());
  const Report late = report(with_late_site());
  ASSERT_TRUE(late.ended());
  EXPECT_EQ(late.round->outcome, "complete");
  EXPECT_GE(late.time_s, (200 + steps_s(late)) * (1 - 1e-9));
  const double exchange_s = punctual.time_s - steps_s(punctual);
  EXPECT_LE(late.time_s, 200 + punctual.time_s + exchange_s);
  EXPECT_NEAR(rounds_kept(late), kSites, 1e-9);
  if (late.round->time_site == "d") {
    EXPECT_GE(late.time.bubble_s, 200 * (1 - 1e-3));  // an earlier exchange is applied meanwhile
  }
}

// The tokens are those of the sites that are heard. What a leader takes into a later sum counts at
// the pace of the site that is late in every round.
TEST_P(LateSites, TrainNothingThatCountsBeyondTheDeadline) {
  const Report punctual = report(area());
  const Seconds deadline = Seconds::from_base(2 * punctual.time_s);
  WideArea one_late = area();
  one_late.sites[3].late = Seconds::from_base(500 * punctual.time_s);
  const Report late = report(one_late, deadline);
  ASSERT_TRUE(late.ended());
  ASSERT_EQ(late.round->events.size(), 1u) << late.round->events.front();
  EXPECT_EQ(late.round->events.front().find("d: "), 0u) << late.round->events.front();
  const double own = 500 * punctual.time_s + steps_s(late);
  const double later = sums_later() ? late.time_s / own : 0;
  EXPECT_NEAR(rounds_kept(late), kSites - 1 + later, 1e-3);
  EXPECT_LE(late.time_s, deadline.base() + 2 * punctual.time_s);
}

// A site whose lines are too slow for the deadline of each round, and that is late for others: what it and
// the others send and receive, their lines carry in the time of the round. Egress is charged for it.
TEST_P(LateSites, SendAndReceiveWhatTheirLinesCarry) {
  const Report punctual = report(area());
  WideArea one_late = area();
  Site& slow = one_late.sites[3];
  slow.late = Seconds::from_base(0.5 * punctual.time_s);
  slow.uplink = slow.downlink = Bandwidth::from_base(5e7);
  double price = 0.001;  // dollars for a gigabyte
  for (Site& site : one_late.sites) site.egress = BytePrice::from_base(1e-9 * (price *= 2));
  for (const double deadline : {1.2, 3.0}) {
    const Report late = report(one_late, Seconds::from_base(deadline * punctual.time_s));
    if (!late.ended()) continue;
    double usd = 0;
    for (std::size_t i = 0; i < kSites; ++i) {
      const SiteReport& site = late.round->by_site[i];
      const double most = one_late.sites[i].uplink.base() * late.time_s * (1 + 1e-9);
      EXPECT_LE(site.sent_bytes, most) << site.name;
      EXPECT_LE(site.received_bytes, most) << site.name;
      usd += site.sent_bytes * one_late.sites[i].egress.base();
    }
    EXPECT_NEAR(late.round->egress_usd, usd, 1e-9 * usd);
  }
}

TEST_P(LateSites, CostNothingInARoundThatNeverEnds) {
  WideArea lost = area();
  for (Site& site : lost.sites) {
    site.drops_out = Seconds::from_base(1e-6);
    site.egress = BytePrice::from_base(1e-9);
  }
  const Report report = this->report(lost, 1000_s);
  ASSERT_FALSE(report.ended());
  EXPECT_EQ(report.round->egress_usd, 0);
  for (const SiteReport& site : report.round->by_site) EXPECT_EQ(site.sent_bytes, 0);
}

// Of what a leader takes into a later sum, a site that is later adds less.
TEST_P(LateSites, AreMissedHoweverLateTheyAre) {
  const Report punctual = report(area());
  const auto missed = [&](double rounds) {
    WideArea one_late = area();
    one_late.sites[3].late = Seconds::from_base(rounds * punctual.time_s);
    return report(one_late, Seconds::from_base(2 * punctual.time_s));
  };
  const Report late = missed(50), later = missed(500);
  EXPECT_NEAR(later.time_s, late.time_s, 1e-3 * late.time_s);
  if (!sums_later()) {
    EXPECT_NEAR(later.tokens_per_s, late.tokens_per_s, 1e-9 * late.tokens_per_s);
    EXPECT_NEAR(later.busiest_links.front().busy, late.busiest_links.front().busy, 1e-9);
  }
}

// Others wait for it until the deadline, which is no communication.
TEST_P(LateSites, AreWaitedForUntilTheDeadline) {
  const Report punctual = report(area());
  const Seconds deadline = Seconds::from_base(10 * punctual.time_s);
  WideArea one_lost = area();
  one_lost.sites[3].drops_out = Seconds::from_base(1e-6);
  const Report lost = report(one_lost, deadline);
  ASSERT_TRUE(lost.ended());
  EXPECT_NEAR(rounds_kept(lost), kSites - 1, 1e-9);
  EXPECT_LE(lost.time.exposed_comm_s, 1.05 * punctual.time_s);
}

}  // namespace
}  // namespace sim
