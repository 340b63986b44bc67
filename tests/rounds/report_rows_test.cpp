// SPDX-License-Identifier: Apache-2.0
// Rows of a report of rounds that have nothing to say.
#include <gtest/gtest.h>

#include <string>

#include "sim/report/writers.hpp"
#include "sim/rounds/round_report.hpp"
#include "tests/rounds/areas.hpp"
#include "tests/shipped_files.hpp"

namespace sim {
namespace {

// What follows the label in its row.
std::string value_in(const std::string& table, const std::string& label) {
  const std::size_t at = table.find(label);
  if (at == std::string::npos) return "no row";
  const std::size_t begin = table.find_first_not_of(' ', at + label.size());
  return table.substr(begin, table.find('\n', begin) - begin);
}

TEST(RoundRows, OfASiteAloneHaveNoBitsBetweenSites) {
  WideArea area = equal_sites(2, 1e9);
  const auto file = source_directory() / "topologies/dgx_h100_x16.toml";
  area.sites.front().cluster = part_of(read_cluster(file), 1, 8);
  const Model model = read_model(source_directory() / "traces/models/gpt_1.3b.toml");
  const std::vector<Calibration> calibrations{roofline()};
  const RoundContext context{area, model, calibrations, {}, scheme_named("sharded")};
  const Scheme& diloco = scheme_named("diloco");
  Report report = summarize(context, diloco, simulate_round(context, diloco));
  for (const int sites : {2, 1}) {
    report.round->sites = sites;
    const std::string table = plain_text(to_table({{report}}, 100));
    EXPECT_EQ(value_in(table, "bits per parameter"), sites == 1 ? "no row" : "32") << table;
    EXPECT_EQ(value_in(table, "compression over FP32"), sites == 1 ? "no row" : "1x") << table;
  }
}

}  // namespace
}  // namespace sim
