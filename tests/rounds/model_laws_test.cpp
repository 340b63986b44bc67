// SPDX-License-Identifier: Apache-2.0
// Rounds of a real model on shipped clusters: bytes of the codecs, and limits in which one scheme is
// another.
#include <gtest/gtest.h>

#include "sim/rounds/round_report.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/schedule/whole_step.hpp"

namespace sim {
namespace {

class ModelRounds : public testing::Test {
 protected:
  static std::filesystem::path shipped(const char* file) {
    return std::filesystem::path(GARDENHOSE_SOURCE_DIR) / file;
  }
  // `count` sites of one node, joined by lines that take 1 GB/s.
  WideArea nodes(int count, double line_Bps = 1e9) const {
    WideArea area = equal_sites(count, line_Bps);
    area.sites.front().cluster = part_of(cluster_, 1, 8);
    return area;
  }
  RoundContext context(const WideArea& area, const Scheme& scheme) const {
    return {area, model_, calibrations_, optimized_for(scheme, parallelism_),
            scheme_named("sharded")};
  }
  Report report(const WideArea& area, const Scheme& scheme) const {
    const RoundContext given = context(area, scheme);
    return summarize(given, scheme, simulate_round(given, scheme));
  }
  double step_s(const WideArea& area, const Scheme& scheme) const {
    const RoundContext given = context(area, scheme);
    return simulate(whole_step(given.step(0), given.inner), area.sites[0].cluster).makespan_s;
  }

  const Cluster cluster_ = read_cluster(shipped("topologies/dgx_h100_x16.toml"));
  const Model model_ = read_model(shipped("traces/models/gpt_125m.toml"));
  const std::vector<Calibration> calibrations_{roofline()};
  Parallelism parallelism_;
};

Scheme with_steps(std::string_view name, int steps) {
  Scheme scheme = scheme_named(name);
  if (!scheme.between_sites->gradients) scheme.between_sites->inner_steps = steps;
  scheme.between_sites->fragments = std::min(scheme.between_sites->fragments, steps);
  return scheme;
}

TEST_F(ModelRounds, OneSiteIsTheIntraSiteSimulation) {
  const WideArea area = nodes(1);
  for (const Scheme* scheme : all_schemes(SchemeKind::between_sites)) {
    if (scheme->between_sites->exchange == &exchanges::store) continue;  // there is no storage here
    const Scheme ten = with_steps(scheme->name, 10);
    const Report one = report(area, ten);
    EXPECT_NEAR(one.time_s, ten.between_sites->inner_steps * step_s(area, ten), 1e-9)
        << scheme->name;
    EXPECT_EQ(one.wire_bytes_wan, 0) << scheme->name;
    EXPECT_NEAR(one.round->utilisation, 1, 1e-9) << scheme->name;
  }
}

// Of FP32 changes of every step, where the changes' own kernels cost nothing.
TEST_F(ModelRounds, DiLoCoOfOneStepIsDataParallelism) {
  const WideArea area = nodes(3);
  Scheme diloco = with_steps("diloco", 1);
  const RoundContext given = context(area, diloco);
  RoundShape shape = round_shape(given, diloco, inner_steps(given, diloco));
  for (SiteWork& site : shape.sites) site.encode_s = site.update_s = 0;
  const double sync = simulate_round(given, scheme_named("wan_sync")).round_s;
  EXPECT_NEAR(simulate_round(area, shape).round_s, sync, 1e-9);
}

TEST_F(ModelRounds, SparseOfEverythingInFp32IsDenseAllGather) {
  const WideArea area = nodes(3);
  Scheme all = with_steps("sparseloco", 10);
  all.between_sites->wire = {};  // every element, 32 bits
  all.between_sites->feedback = false;
  EXPECT_EQ(report(area, all).time_s, report(area, with_steps("sparseloco_dense", 10)).time_s);
}

// What each site sends to one other, part by part, is what the codec says.
TEST_F(ModelRounds, EveryLinkCarriesTheCodecsBytes) {
  constexpr int kSites = 4;
  WideArea area = nodes(kSites);
  area.store = Store{.upload = Bandwidth::from_base(1e12), .download = Bandwidth::from_base(1e12)};
  for (const Scheme* scheme : all_schemes(SchemeKind::between_sites)) {
    const Scheme eight = with_steps(scheme->name, 8);
    const SiteExchange& one = *eight.between_sites;
    RoundContext given = context(area, eight);
    given.whole = true;  // every pair of sites has a hop of its own
    const RoundResult result = simulate_round(given, eight);
    double whole = 0;
    double part = 0;
    for (const ShardSize& shard : shard_sizes(given, 0, one.fragments)) {
      const std::size_t third = (shard.elements + kSites - 1) / kSites;
      whole += shard.gpus * one.wire.bytes(static_cast<double>(shard.elements));
      part += shard.gpus * one.wire.bytes(static_cast<double>(third));
    }
    std::map<std::pair<int, int>, double> carried;
    for (const Operation& operation : result.plan.schedule.operations) {
      if (operation.kind != OperationKind::flow) continue;
      for (const Hop& hop : result.plan.schedule.routes[operation.route].hops) {
        carried[{hop.source, hop.destination}] += operation.bytes * hop.times;
      }
    }
    const double sends = result.shape.rounds * one.fragments * one.sent_per_byte;
    const auto expected = [&](const std::pair<int, int>& hop) {
      const Exchange* exchange = one.exchange;
      if (exchange == &exchanges::flat_ring) return whole * 2 * (kSites * 8 - 1) / (kSites * 8);
      if (exchange == &exchanges::ring || exchange == &exchanges::quantized_ring) {
        return part * 2 * (kSites - 1);
      }
      if (exchange == &exchanges::all_to_all) return part * 2;
      // Another partner in each round.
      if (exchange == &exchanges::pair) return whole / result.shape.rounds;
      return hop.first == kSites ? whole * (kSites - 1) : whole;
    };
    EXPECT_FALSE(carried.empty()) << scheme->name;
    for (const auto& [hop, bytes] : carried) {
      EXPECT_NEAR(bytes, sends * expected(hop), 0.5 * sends)
          << scheme->name << " from " << hop.first << " to " << hop.second;
    }
  }
}

TEST_F(ModelRounds, MoreBandwidthNeverHurts) {
  for (const Scheme* scheme : all_schemes(SchemeKind::between_sites)) {
    if (scheme->between_sites->exchange == &exchanges::store) continue;
    double last = 0;
    for (const double line : {1e7, 1e9, 1e12}) {
      const double tokens = report(nodes(3, line), with_steps(scheme->name, 20)).tokens_per_s;
      // A sum falls into another step of its leader, and slows it by a few kernels.
      EXPECT_GE(tokens, last * (1 - 1e-4)) << scheme->name << " at " << line;
      last = tokens;
    }
  }
}

TEST_F(ModelRounds, SparseLoCoSends0_21875BitsAParameter) {
  const Report one = report(nodes(3), with_steps("sparseloco", 30));
  EXPECT_NEAR(one.round->bits_per_parameter, 0.21875, 0.001);
  EXPECT_NEAR(one.compression_ratio_fp32, 146.3, 1);
}

TEST_F(ModelRounds, OuterStateCountsInMemory) {
  const WideArea area = nodes(2);
  Scheme diloco = with_steps("diloco", 10);
  const double with = report(area, diloco).round->by_site[0].memory.allocated();
  diloco.between_sites->state_bytes = 0;
  const double parameters = stage_parameters(model_, parallelism_, 0).total();
  EXPECT_NEAR(with - report(area, diloco).round->by_site[0].memory.allocated(), 8 * parameters / 8,
              8);
}

}  // namespace
}  // namespace sim
