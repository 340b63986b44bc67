// SPDX-License-Identifier: Apache-2.0
// The bars of what is published of training over several sites.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/validation/intellect_1.hpp"
#include "sim/validation/sparseloco.hpp"
#include "sim/validation/streaming_diloco.hpp"

namespace sim::validation {
namespace {

const std::filesystem::path kPublished =
    std::filesystem::path(GARDENHOSE_SOURCE_DIR) / "traces/published";

Figure figure_named(const std::string& what, const std::vector<Figure>& figures) {
  const auto found = std::ranges::find(figures, what, &Figure::what);
  if (found == figures.end()) throw std::out_of_range("there is no figure " + what);
  return *found;
}

TEST(StreamingDiLoCo, CellsAreWithinAPointOfTheGrid) {
  const auto rows =
      reproduce(read_bandwidth_table(kPublished / "streaming_diloco_table4.csv"), 1, 1, [] {});
  EXPECT_EQ(rows.size(), 15u);
  EXPECT_GE(cells_within(rows, 1), 71);
}

// DiLoCo's exchange begins with the backward pass: what is left after the last step is the greater
// of the last part's time and what the link is behind.
TEST(StreamingDiLoCo, UtilisationMeetsItsClosedForm) {
  BandwidthRow row{
      .model = "1b", .method = "diloco", .parameters = 1e9, .fragments = 8, .step_s = 0.1};
  for (const double rate_Gbps : {1.0, 10.0, 100.0, 1000.0}) {
    const double transfer_s = 16 / rate_Gbps;
    const double release_s = 0.1 * 2 / 3;
    const double left_s = std::max(transfer_s / 128, transfer_s - release_s * 127 / 128);
    EXPECT_NEAR(utilisation(row, rate_Gbps), 10 / (10 + left_s), 1e-6) << rate_Gbps;
  }
}

TEST(StreamingDiLoCo, ReadsTheGridAsItIsWritten) {
  EXPECT_NEAR(grid_bandwidth_Gbps(0), 0.1, 1e-12);
  EXPECT_NEAR(grid_bandwidth_Gbps(kGridPoints - 1), 1000, 1e-9);
  for (const BandwidthRow& row : read_bandwidth_table(kPublished / "streaming_diloco_table4.csv")) {
    for (const int point : row.published) EXPECT_TRUE(point >= 0 && point < kGridPoints);
  }
}

TEST(SparseLoCo, SizesAndUtilisationAreThePublishedOnes) {
  int compared = 0;
  for (const Figure& figure : sparseloco_figures(kPublished / "sparseloco_runs.csv")) {
    if (figure.published == 0 || figure.how.starts_with("simulated")) continue;
    EXPECT_NEAR(figure.computed / figure.published, 1, 0.003) << figure.what;
    ++compared;
  }
  EXPECT_EQ(compared, 5);
}

// 1.988 GB up at 110 Mb/s, then 19 such down at 500 Mb/s.
TEST(SparseLoCo, StatedLinksDoNotExplainThePublishedTime) {
  const double payload = 72.7e9 * 0.21875 / 8;
  const Figure figure = figure_named("72b: communication, every peer downloads from every other",
                                     sparseloco_figures(kPublished / "sparseloco_runs.csv"));
  EXPECT_NEAR(figure.computed, payload * 8 / 110e6 + 19 * payload * 8 / 500e6, 0.1);
  EXPECT_GT(figure.computed, 10 * figure.published);
}

TEST(Intellect1, VolumeAndUtilisationAreThePublishedOnes) {
  int compared = 0;
  for (const Figure& figure : intellect_1_figures(GARDENHOSE_SOURCE_DIR)) {
    if (figure.published == 0 || figure.unit.empty()) continue;
    EXPECT_NEAR(figure.computed / figure.published, 1, 0.003) << figure.what;
    ++compared;
  }
  EXPECT_EQ(compared, 5);
}

// A ring through three continents goes between them three times; one that avoids the slowest of their
// three paths has to take the others twice.
TEST(Intellect1, TheRingAvoidsTheSlowestPath) {
  const Figure hops = figure_named("hops of the ring between continents",
                                   intellect_1_figures(GARDENHOSE_SOURCE_DIR));
  EXPECT_EQ(hops.computed, 4);
}

}  // namespace
}  // namespace sim::validation
