// SPDX-License-Identifier: Apache-2.0
// The line that says below which bandwidth a scheme pays off.
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>

#include "sim/report/writers.hpp"

namespace sim {
namespace {

constexpr double kGbps = 1e9 / 8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string line_of(std::optional<BreakEven> at) {
  Report report;
  report.scheme = "qgz";
  report.baseline = "sharded";
  report.fits_memory = report.baseline_fits = true;
  report.break_even = at;
  const std::string line = break_even_line(report);
  return line.substr(line.find(": ") + 1);
}

TEST(BreakEvenLine, IsEmptyUnlessItWasSearched) { EXPECT_EQ(line_of({}), ""); }

TEST(BreakEvenLine, SaysWhereTheSchemePaysOff) {
  EXPECT_EQ(line_of(BreakEven{.pays_at_Bps = 0, .loses_at_Bps = kGbps}),
            " does not beat sharded at any NIC bandwidth");
  EXPECT_EQ(line_of(BreakEven{.pays_at_Bps = 2000 * kGbps, .loses_at_Bps = kInfinity}),
            " beats sharded at every NIC bandwidth up to 2 Tbps");
  EXPECT_EQ(line_of(BreakEven{.pays_at_Bps = 100 * kGbps,
                              .loses_at_Bps = 101 * kGbps,
                              .nic_bandwidth_Bps = 400 * kGbps,
                              .low_Bps = 0,
                              .high_Bps = kInfinity}),
            " beats sharded below about 100 Gbps per NIC, likely none to any (now 400 Gbps)");
}

}  // namespace
}  // namespace sim
