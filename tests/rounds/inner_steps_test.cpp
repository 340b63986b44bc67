// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/inner_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sim/base/toml_document.hpp"
#include "sim/rounds/simulate_round.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

// A part of a payload is there once every piece that overlaps it is.
TEST(ReadyParts, WaitForTheirLastPiece) {
  for (const int pieces : {1, 2, 15, 16, 17, 31, 100}) {
    std::vector<double> ends(static_cast<std::size_t>(pieces));
    for (int i = 0; i < pieces; ++i) ends[static_cast<std::size_t>(i)] = pieces - i;  // unsorted
    constexpr int kParts = 16;
    const std::vector<double> ready = ready_parts(ends, kParts);
    ASSERT_EQ(ready.size(), std::size_t{kParts});
    for (int part = 1; part <= kParts; ++part) {
      const double last = std::ceil(static_cast<double>(part) * pieces / kParts);
      EXPECT_EQ(ready[static_cast<std::size_t>(part - 1)], last) << pieces << " " << part;
    }
  }
}

// Two buckets' reductions are fewer pieces than parts.
TEST(ReadyParts, OfFewBucketsGiveOneAnswer) {
  const auto shipped = [](const std::string& file) {
    return std::filesystem::path(GARDENHOSE_SOURCE_DIR) / file;
  };
  const Model model = read_model(shipped("traces/models/gpt_125m.toml"));
  const std::vector<Calibration> calibrations{3, roofline()};
  const WideArea area = parse_wide_area(
      read_input_text(shipped("topologies/wide_area/three_continents.toml")), "three.toml",
      [&](const std::string& name) { return shipped("topologies/" + name + ".toml"); });
  Parallelism parallelism;
  parallelism.overlap.gradients = true;
  parallelism.bucket = Bytes{std::int64_t{8} << 30};
  const Scheme sharded = scheme_named("sharded");
  for (const char* name : {"demo", "wan_sync_bf16"}) {
    const RoundContext context{area, model, calibrations, parallelism, sharded, false, nullptr};
    const InnerStep step = inner_step(context, 0, scheme_named(name));
    EXPECT_TRUE(std::ranges::is_sorted(step.ready_s));
    EXPECT_GT(step.ready_s.front(), 0);
    EXPECT_LE(step.ready_s.back(), step.needed_s);
  }
}

class KnownInnerSteps : public testing::Test {
 protected:
  [[nodiscard]] RoundContext context(const WideArea& of, InnerSteps* steps) const {
    return {of, model, calibrations, {}, sharded, false, steps};
  }
  // The round with the steps of rounds before it is that with its own.
  void expect_same(const WideArea& of, const Scheme& scheme) {
    EXPECT_EQ(simulate_round(context(of, &known), scheme).round_s,
              simulate_round(context(of, nullptr), scheme).round_s);
  }

  static std::filesystem::path shipped(const std::string& file) {
    return std::filesystem::path(GARDENHOSE_SOURCE_DIR) / file;
  }
  const Model model = read_model(shipped("traces/models/gpt_125m.toml"));
  const std::vector<Calibration> calibrations{4, roofline()};
  const Scheme sharded = scheme_named("sharded");
  WideArea area = parse_wide_area(
      read_input_text(shipped("topologies/wide_area/four_sites_mixed.toml")), "four_sites.toml",
      [](const std::string& name) { return shipped("topologies/" + name + ".toml"); });
  InnerSteps known;
};

TEST_F(KnownInnerSteps, AreThoseOfEachChangeOfASite) {
  for (const char* name : {"diloco", "streaming_diloco", "eager_diloco", "wan_sync"}) {
    const Scheme scheme = scheme_named(name);
    expect_same(area, scheme);
    expect_same(area, scheme);
    WideArea other = area;
    for (Site& site : other.sites) site.uplink = site.downlink = 1_Gbps;
    expect_same(other, scheme);
    other.sites.front().speed = 0.5;
    expect_same(other, scheme);
    other.sites.back().cluster.gpu.bf16 = other.sites.back().cluster.gpu.bf16 * 2;
    expect_same(other, scheme);
  }
}

TEST_F(KnownInnerSteps, AreOneForSitesWhoseClustersDifferByTheirNamesAlone) {
  for (Site& site : area.sites) {
    site.cluster = area.sites.front().cluster;
    site.cluster.name = "of " + site.name;
    site.speed = 1;
    site.setup = {};
  }
  expect_same(area, scheme_named("diloco"));
  EXPECT_EQ(known.size(), 1u);
  area.sites.back().cluster.gpu.bf16 = area.sites.back().cluster.gpu.bf16 * 2;
  expect_same(area, scheme_named("diloco"));
  EXPECT_EQ(known.size(), 2u);
}

// Also where a site holds one replica, which reduces nothing: 4 x 2 of its 8 GPUs are one.
TEST_F(KnownInnerSteps, SendGradientsWhileTheBackwardPassGoesOn) {
  const Scheme scheme = scheme_named("wan_sync");
  for (const int tensor : {1, 4}) {
    WideArea sites = area;
    for (Site& site : sites.sites) site.cluster = part_of(site.cluster, 1, 8);
    RoundContext one = context(sites, nullptr);
    one.parallelism = {.tensor = tensor, .pipeline = 2, .accumulation = 2};
    EXPECT_EQ(inner_step(one, 0, scheme).ready_s.size(), 1u) << "not asked to";
    one.parallelism.overlap.gradients = true;
    one.parallelism.bucket = 1_MiB;  // each of a stage's six layers is larger
    const InnerStep step = inner_step(one, 0, scheme);
    ASSERT_EQ(step.ready_s.size(), 6u);
    EXPECT_TRUE(std::ranges::is_sorted(step.ready_s));
    EXPECT_LE(step.ready_s.back(), step.needed_s);
    EXPECT_GT(step.ready_s.back(), 0.95 * step.needed_s);
    // Forwards of two micro-batches and a backward of the first come before.
    EXPECT_GT(step.ready_s.front(), 0.4 * step.needed_s);
    EXPECT_LT(step.ready_s.front(), 0.9 * step.needed_s);
  }
}

}  // namespace
}  // namespace sim
