// SPDX-License-Identifier: Apache-2.0
#include "sim/rounds/inner_steps.hpp"

#include <gtest/gtest.h>

#include "sim/base/toml_document.hpp"
#include "sim/rounds/simulate_round.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

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

}  // namespace
}  // namespace sim
