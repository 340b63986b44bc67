// SPDX-License-Identifier: Apache-2.0
// A syncer apart from the sites: closed forms of its rounds, and what they cost.
#include <gtest/gtest.h>

#include "sim/rounds/round_report.hpp"
#include "sim/sites/exchange_kernels.hpp"
#include "sim/sites/leader.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

constexpr double kLearnersLine = 10e9;

Syncer syncer_of(double line_Bps, Seconds latency = {}) {
  return {.uplink = Bandwidth::from_base(line_Bps),
          .downlink = Bandwidth::from_base(line_Bps),
          .latency = latency};
}

WideArea learners(int count, const Syncer& syncer) {
  WideArea area = equal_sites(count, kLearnersLine);
  area.syncer = syncer;
  return area;
}

double time_of(const WideArea& area, const RoundShape& shape) {
  return simulate_round(area, shape).round_s;
}

// A learner sends what it has once, and receives as much: however many others there are.
TEST(Syncer, TakesOneUploadAndOneDownload) {
  for (const int sites : {2, 3, 8, 100}) {
    const RoundShape shape = equal_rounds(&exchanges::syncer, sites, 10, 24e9);
    EXPECT_NEAR(time_of(learners(sites, syncer_of(kUnlimited, 20_ms)), shape),
                10 + 2 * (0.02 + 2.4), 1e-6)
        << sites;
  }
}

// Its own lines carry what all learners send and receive.
TEST(Syncer, CarriesTheTrafficOfAll) {
  for (const int sites : {3, 8}) {
    const RoundShape shape = equal_rounds(&exchanges::syncer, sites, 10, 24e9);
    WideArea area = learners(sites, syncer_of(2 * kLearnersLine));
    EXPECT_NEAR(time_of(area, shape), 10 + 2 * sites * 24.0 / 20, 1e-6);
    area.syncer->downlink = Bandwidth::from_base(kUnlimited);
    EXPECT_NEAR(time_of(area, shape), 10 + 2.4 + sites * 24.0 / 20, 1e-6);
  }
}

TEST(Syncer, SumsBeforeItSends) {
  RoundShape shape = equal_rounds(&exchanges::syncer, 4, 10, 24e9);
  shape.syncer_sum_s = 0.7;
  EXPECT_NEAR(time_of(learners(4, syncer_of(kUnlimited)), shape), 10 + 4.8 + 0.7, 1e-6);
}

// Of a fragment in every step, one is uploaded while the one before is downloaded: a step lasts as long
// as either. Where the result has to be there before the next is sent, as long as both.
TEST(Syncer, ReceivesAFragmentWhileTheNextOneIsSent) {
  for (const double send_s : {0.4, 0.9, 1.6}) {
    RoundShape shape = equal_rounds(&exchanges::syncer, 3, 24, send_s * kLearnersLine);
    shape.fragments = 24;
    shape.delayed = true;
    shape.rounds = 3;
    const WideArea area = learners(3, syncer_of(kUnlimited));
    shape.overlap_steps = 1;
    EXPECT_NEAR(time_of(area, shape), 24 * std::max(1.0, 2 * send_s), 1e-6) << send_s;
    shape.overlap_steps = 2;
    EXPECT_NEAR(time_of(area, shape), 24 * std::max(1.0, send_s), 1e-6) << send_s;
  }
}

// Sums follow one another, beside the traffic: where they take longest, a step lasts as long as one.
TEST(Syncer, SumsOneFragmentAfterAnother) {
  RoundShape shape = equal_rounds(&exchanges::syncer, 3, 24, 0.1 * kLearnersLine);
  shape.fragments = 24;
  shape.delayed = true;
  shape.overlap_steps = 6;
  shape.rounds = 3;
  shape.syncer_sum_s = 1.5;
  EXPECT_NEAR(time_of(learners(3, syncer_of(kUnlimited)), shape), 24 * 1.5, 1e-6);
}

// The other two go on after the grace; the late one is not waited for, and gets the result.
TEST(Syncer, WaitsForAQuorumAndItsGrace) {
  RoundShape shape = equal_rounds(&exchanges::syncer, 3, 10, 10e9);
  shape.sites[2].start_s = 100;
  const RoundResult result =
      simulate_round(learners(3, syncer_of(kUnlimited)), shape, {.quorum = 2, .grace = 3_s});
  EXPECT_EQ(result.outcome, RoundOutcome::partial);
  EXPECT_EQ(result.shape.fates[2], Fate::skipped);
  const auto& ends = result.plan.ends.front();
  EXPECT_NEAR(result.timeline.end_s[ends[0]], 10 + 1 + 3 + 1, 1e-6);
  EXPECT_NEAR(result.timeline.end_s[ends[2]], 110, 1e-6);
}

// Of three learners, two go on at their own pace, and so does the third, which is slower. One that is
// there within the grace is waited for.
TEST(Syncer, IsNotHeldUpByASlowLearner) {
  RoundShape shape = equal_rounds(&exchanges::syncer, 3, 24, 1e9);
  shape.fragments = 24;
  shape.delayed = true;
  shape.overlap_steps = 2;
  shape.rounds = 3;
  const auto with_step = [&](double seconds) {
    SiteWork& slow = shape.sites[2];
    slow.step_s = slow.needed_s = slow.ready_s[0] = seconds;
    return simulate_round(learners(3, syncer_of(kUnlimited)), shape, {.quorum = 2, .grace = 1_s});
  };
  const RoundResult skipped = with_step(1.5);
  EXPECT_EQ(skipped.outcome, RoundOutcome::partial);
  EXPECT_EQ(skipped.shape.fates[2], Fate::skipped);
  EXPECT_NEAR(skipped.round_s, 24, 1e-6);
  EXPECT_NEAR(skipped.period_s(2), 24 * 1.5, 1e-6);
  const RoundResult heard = with_step(1.03);
  EXPECT_EQ(heard.outcome, RoundOutcome::complete);
  EXPECT_NEAR(heard.round_s, 24 * 1.03, 1e-6);
}

// A leader receives and sends as much for the others as a syncer with its lines does for all.
TEST(Syncer, WithTheLinesOfASiteIsALeaderThatTrainsNothing) {
  const int sites = 5;
  const RoundShape led = equal_rounds(&exchanges::leader, sites, 10, 24e9);
  const RoundShape apart = equal_rounds(&exchanges::syncer, sites - 1, 10, 24e9);
  EXPECT_NEAR(time_of(learners(sites - 1, syncer_of(kLearnersLine)), apart),
              time_of(equal_sites(sites, kLearnersLine), led), 1e-6);
}

class ModelSyncer : public testing::Test {
 protected:
  static constexpr int kSites = 3;
  WideArea area(const Syncer& syncer) const {
    WideArea area = learners(kSites, syncer);
    area.sites.front().cluster = part_of(cluster_, 1, 8);
    return area;
  }
  RoundContext context(const WideArea& area) const {
    return {area, model_, calibrations_, {}, sharded_};
  }
  static std::filesystem::path shipped(const char* file) {
    return std::filesystem::path(GARDENHOSE_SOURCE_DIR) / file;
  }
  Report report(const WideArea& area, const Scheme& scheme) const {
    const RoundContext given = context(area);
    return summarize(given, scheme, simulate_round(given, scheme));
  }

  const Cluster cluster_ = read_cluster(shipped("topologies/dgx_h100_x16.toml"));
  const Model model_ = read_model(shipped("traces/models/gpt_125m.toml"));
  const std::vector<Calibration> calibrations_{roofline()};
  const Scheme sharded_ = scheme_named("sharded");
};

// Blocking, in one fragment, in BF16: the steps, the change encoded and sent, and the sum taken.
TEST_F(ModelSyncer, InOneBlockingFragmentIsItsParts) {
  Scheme scheme = scheme_named("decoupled_diloco_bf16");
  scheme.between_sites->fragments = 1;
  scheme.between_sites->overlap_steps = 0;
  scheme.between_sites->delayed = false;
  const WideArea one = area(syncer_of(kUnlimited));
  const RoundContext given = context(one);
  const RoundShape shape = round_shape(given, scheme, inner_steps(given, scheme));
  const SiteWork& work = shape.sites.front();
  double elements = 0;
  for (const ShardSize& shard : shard_sizes(given, 0, 1)) {
    elements += static_cast<double>(shard.elements) * shard.gpus;
  }
  EXPECT_EQ(work.whole_bytes, 2 * elements);
  EXPECT_EQ(work.sum_s, 0);
  EXPECT_NEAR(simulate_round(given, scheme).round_s,
              24 * work.step_s + work.encode_s + 2 * work.whole_bytes / kLearnersLine +
                  work.decode_s + work.update_s,
              1e-9);
}

// To the last bit, but that it says so.
TEST_F(ModelSyncer, WithoutOneTheFirstSiteLeads) {
  for (const char* name : {"decoupled_diloco", "decoupled_diloco_bf16"}) {
    const Scheme scheme = scheme_named(name);
    Scheme led = scheme;
    led.between_sites->exchange = &exchanges::leader;
    WideArea without = area({});
    without.syncer.reset();
    const Report one = report(without, scheme), other = report(without, led);
    EXPECT_EQ(one.time_s, other.time_s);
    EXPECT_EQ(one.tokens_per_s, other.tokens_per_s);
    EXPECT_EQ(one.memory.total(), other.memory.total());
    EXPECT_TRUE(one.sources.contains("syncer"));
    EXPECT_FALSE(other.sources.contains("syncer"));
    // A leader is none, whatever the area has.
    const Report with = report(area(syncer_of(kUnlimited)), led);
    EXPECT_EQ(with.time_s, other.time_s);
  }
}

// Every site sends its fragments once a round and receives as many; the syncer is paid for what it sends.
TEST_F(ModelSyncer, IsPaidForWhatItSends) {
  const Scheme scheme = scheme_named("decoupled_diloco");
  WideArea one = area(syncer_of(kUnlimited));
  one.syncer->egress = BytePrice::from_base(1e-9);
  const Report paid = report(one, scheme);
  const double whole = whole_bytes(context(one), 0, scheme);
  EXPECT_NEAR(paid.round->by_site[0].sent_bytes, whole, 1e-3 * whole);
  EXPECT_NEAR(paid.round->by_site[0].received_bytes, whole, 1e-3 * whole);
  EXPECT_NEAR(paid.round->egress_usd, kSites * whole * 1e-9, 1e-3 * kSites * whole * 1e-9);
}

// Of INT4: all wires read and one written, at the rate of its memory.
TEST_F(ModelSyncer, SumsAtTheRateOfItsMemory) {
  const Scheme scheme = scheme_named("decoupled_diloco");
  WideArea one = area(syncer_of(kUnlimited));
  const auto sum_s = [&] {
    const RoundContext given = context(one);
    return round_shape(given, scheme, inner_steps(given, scheme)).syncer_sum_s;
  };
  EXPECT_EQ(sum_s(), 0);
  one.syncer->memory_bandwidth = Bandwidth::from_base(1e9);
  const double wire = whole_bytes(context(one), 0, scheme) / scheme.between_sites->fragments;
  EXPECT_NEAR(sum_s(), (kSites + 1) * wire / 1e9, 1e-3 * sum_s());
}

// They are its hosts', not a GPU's.
TEST_F(ModelSyncer, HoldsTheWiresOfAll) {
  const Scheme scheme = scheme_named("decoupled_diloco");
  const WideArea with = area(syncer_of(kUnlimited));
  WideArea without = with;
  without.syncer.reset();
  const double more =
      site_memory(context(without), 0, scheme).codec - site_memory(context(with), 0, scheme).codec;
  const double one = scheme.between_sites->wire.bytes_per_element() *
                     static_cast<double>(shard_sizes(context(with), 0, 1).front().elements) /
                     scheme.between_sites->fragments;
  EXPECT_NEAR(more, (kSites - 2) * one, 1e-2 * one);  // a leader holds those of all others
}

}  // namespace
}  // namespace sim
