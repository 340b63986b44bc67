// SPDX-License-Identifier: Apache-2.0
// The studies of training over several sites that `validate` reruns.
#include "apps/validate/validate_sites.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/data_files.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/progress.hpp"
#include "apps/terminal.hpp"
#include "sim/base/text_table.hpp"
#include "sim/validation/intellect_1.hpp"
#include "sim/validation/sparseloco.hpp"
#include "sim/validation/streaming_diloco.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;
namespace validation = sim::validation;

std::string grid_text(int point) {
  if (point >= validation::kGridPoints) return "-";
  return fmt::format("{:.1f}", validation::grid_bandwidth_Gbps(point));
}

void print_cells(const std::vector<validation::BandwidthRow>& rows, double payload) {
  print_text(
      "Reproduces table 4 of Streaming DiLoCo (arXiv 2501.18512), which its authors simulated:\n"
      "the Gb/s between two replicas needed for a compute utilisation, as published and as "
      "simulated\n"
      "here, on a grid of 50 bandwidths 21 % apart. {} bits per parameter, nothing fitted.\n\n",
      16 * payload);
  sim::TextTable table{.labels = 2, .align = "<<"};
  table.rows.push_back(sim::heading_row({"", ""}));
  for (const double share : validation::kUtilisations) {
    table.rows.front().emplace_back(fmt::format("{:.0f} %", 100 * share), sim::Style::heading);
  }
  for (const auto& row : rows) {
    table.rows.push_back({row.model, row.method});
    for (std::size_t i = 0; i < row.published.size(); ++i) {
      const int off = row.simulated[i] - row.published[i];
      table.rows.back().emplace_back(fmt::format("{} {} {:+d}", grid_text(row.published[i]),
                                                 grid_text(row.simulated[i]), off));
    }
  }
  print_styled(to_text(table, output_width()));
  print_text("\n{} of {} cells within one point of the grid, {} on it\n",
             validation::cells_within(rows, 1), rows.size() * validation::kUtilisations.size(),
             validation::cells_within(rows, 0));
}

}  // namespace

void validate_streaming_diloco(const std::string& format, int jobs) {
  auto rows = validation::read_bandwidth_table(data_directory() /
                                               "traces/published/streaming_diloco_table4.csv");
  Progress progress("simulating rows", static_cast<int>(rows.size()));
  rows = validation::reproduce(std::move(rows), 1, jobs, [&] { progress.step(); });
  if (format == "table") return print_cells(rows, 1);
  std::vector<Json> cells;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.published.size(); ++i) {
      const bool on_grid = row.simulated[i] < validation::kGridPoints;
      cells.push_back(
          {{"model", row.model},
           {"method", row.method},
           {"compute_utilisation", validation::kUtilisations[i]},
           {"published_Gbps", validation::grid_bandwidth_Gbps(row.published[i])},
           {"simulated_Gbps",
            on_grid ? Json(validation::grid_bandwidth_Gbps(row.simulated[i])) : Json(nullptr)},
           {"grid_points_off", row.simulated[i] - row.published[i]}});
    }
  }
  print_records(format, cells);
}

namespace {

Json record_of(const validation::Figure& figure) {
  return {{"figure", figure.what},
          {"unit", figure.unit},
          {"published", figure.published > 0 ? Json(figure.published) : Json(nullptr)},
          {"computed", figure.computed},
          {"from", figure.how}};
}

void print_figures(const std::vector<validation::Figure>& figures, std::string_view heading,
                   std::string_view remarks) {
  sim::TextTable table{.align = "<>><<"};
  table.rows.push_back(sim::heading_row({"", "published", "here", "", "from"}));
  for (const auto& figure : figures) {
    table.rows.push_back({figure.what,
                          figure.published > 0 ? fmt::format("{:.5g}", figure.published) : "-",
                          fmt::format("{:.5g}", figure.computed), figure.unit, figure.how});
  }
  print_text("{}\n\n", heading);
  print_styled(to_text(table, output_width()));
  print_text("\n{}\n", remarks);
}

std::vector<Json> records_of(const std::vector<validation::Figure>& figures) {
  std::vector<Json> rows;
  for (const auto& figure : figures) rows.push_back(record_of(figure));
  return rows;
}

}  // namespace

void validate_sparseloco(const std::string& format, int) {
  const auto figures =
      validation::sparseloco_figures(data_directory() / "traces/published/sparseloco_runs.csv");
  if (format == "table") {
    return print_figures(
        figures, "SparseLoCo as published (arXiv 2508.15706 and the Covenant-72B run)",
        "The stated links do not explain the published 70 s. Links as fast as in the last line "
        "would,\n"
        "and so would sending while the next round computes. Fetching one sum instead of every "
        "payload\n"
        "would not be enough, because the upload alone takes 145 s. None of these is published.");
  }
  print_records(format, records_of(figures));
}

void validate_intellect_1(const std::string& format, int) {
  const auto figures = validation::intellect_1_figures(data_directory());
  if (format == "table") {
    return print_figures(
        figures, "INTELLECT-1 (arXiv 2412.01152): definition, not prediction",
        "These follow from the method, and utilisation from the published times; they are in no "
        "average.\n"
        "No time is predicted: the report gives its links' rates as 0.5 to 4 Gb/s, and which of "
        "them a\n"
        "round crossed is known from its time alone.");
  }
  print_records(format, records_of(figures));
}

}  // namespace apps
