// SPDX-License-Identifier: Apache-2.0
// Rounds of sites that are not alike: what holds of every scheme, however it overlaps.
#include <gtest/gtest.h>

#include "sim/base/toml_document.hpp"
#include "sim/program/plan_step.hpp"
#include "sim/rounds/round_report.hpp"
#include "tests/rounds/areas.hpp"

namespace sim {
namespace {

std::filesystem::path shipped(const std::string& file) {
  return std::filesystem::path(GARDENHOSE_SOURCE_DIR) / file;
}

class MixedSites : public testing::TestWithParam<const Scheme*> {
 protected:
  static WideArea area() {
    const auto file = shipped("topologies/wide_area/four_sites_mixed.toml");
    const auto cluster = [](const std::string& name) {
      return shipped("topologies/" + name + ".toml");
    };
    return parse_wide_area(read_input_text(file), file, cluster);
  }
};
INSTANTIATE_TEST_SUITE_P(Every, MixedSites,
                         testing::ValuesIn(all_schemes(SchemeKind::between_sites).begin(),
                                           all_schemes(SchemeKind::between_sites).end()),
                         [](const auto& instance) { return std::string(instance.param->name); });

// No site trains faster than it computes, and none sends more than its line carries.
TEST_P(MixedSites, DoWhatTheyCanAtMost) {
  WideArea mixed = area();
  mixed.store = Store{.upload = Bandwidth::from_base(1e10), .download = Bandwidth::from_base(1e10)};
  const Model model = read_model(shipped("traces/models/gpt_125m.toml"));
  const std::vector<Calibration> calibrations(mixed.sites.size(), roofline());
  const Scheme sharded = scheme_named("sharded");
  const RoundContext context{mixed, model, calibrations, optimized_for(*GetParam()), sharded};
  const RoundResult result = simulate_round(context, *GetParam());
  const Report report = summarize(context, *GetParam(), result);
  ASSERT_TRUE(report.ended());
  EXPECT_LE(report.round->utilisation, 1 + 1e-9);
  for (std::size_t place = 0; place < result.shape.sites.size(); ++place) {
    const double steps_s = report.round->inner_steps * result.shape.sites[place].step_s;
    const auto& fates = result.shape.fates;
    const bool is_in = fates.empty() || fates[place] == Fate::heard;
    if (!is_in && !result.shape.sums_later()) continue;
    EXPECT_GE(result.period_s(place), steps_s * (1 - 1e-9)) << place;
    const double sent_s =
        report.round->by_site[place].sent_bytes / mixed.sites[place].uplink.base();
    if (!is_in) continue;
    EXPECT_GE(report.time_s, sent_s * (1 - 1e-4)) << place;
  }
}

}  // namespace
}  // namespace sim
