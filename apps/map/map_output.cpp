// SPDX-License-Identifier: Apache-2.0
#include "apps/map/map_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/map/grid_text.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "apps/words.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

using sim::study::MapPoint;
using Json = nlohmann::ordered_json;

Json record_of(const MapRow& row) {
  const MapPoint& point = row.point;
  const sim::study::Best& best = point.pays() ? point.compressed : point.uncompressed;
  return {{"topology", point.topology},
          {"gpus", point.gpus},
          {"model", point.model},
          {"nic_bandwidth_Bps", point.nic_bandwidth.base()},
          {"tensor_parallel", point.tensor},
          {"pipeline_parallel", point.pipeline},
          {"global_batch", point.global_batch},
          {"sequence", point.sequence},
          {"fastest", best.setup.scheme.name},
          {"pays", point.pays()},
          {"speedup", point.speedup()},
          {"speedup_low", point.speedup_low},
          {"speedup_high", point.speedup_high},
          {"uncompressed", point.uncompressed.setup.scheme.name},
          {"uncompressed_step_time_s", point.uncompressed.step_time_s},
          {"uncompressed_fits_memory", point.uncompressed.fits},
          {"uncompressed_flags", row.uncompressed_flags},
          {"compressed", point.compressed.setup.scheme.name},
          {"compressed_step_time_s", point.compressed.step_time_s},
          {"compressed_fits_memory", point.compressed.fits},
          {"compressed_flags", row.compressed_flags}};
}

// Both of what is compared.
bool both_fit(const MapPoint& point) { return point.compressed.fits && point.uncompressed.fits; }

// In brackets what the fastest compressed scheme makes of it where it loses; marked where something
// does not fit.
sim::TableCell cell_of(const MapPoint& point, const std::string& text) {
  const std::string marked = text + (both_fit(point) ? "" : sim::kDoesNotFit);
  const sim::Style style = !both_fit(point) ? sim::Style::bad
                           : point.pays()   ? sim::Style::good
                                            : sim::Style::plain;
  return {point.pays() ? marked : "(" + marked + ")", style};
}

// Of a model: the scheme, its speed-up and the likely range of that.
void add_rows(const MapPoint& point, Grid& grid) {
  if (grid.rows.empty() || grid.rows[grid.rows.size() - 3] != point.model) {
    for (const std::string& row :
         {point.model, std::string("  speed-up"), std::string(sim::kRangeLabel)}) {
      grid.rows.push_back(row);
      grid.cells.emplace_back();
    }
  }
  const auto add = [&](std::size_t from_end, const std::string& text) {
    grid.cells[grid.cells.size() - from_end].push_back(cell_of(point, text));
  };
  add(3, point.compressed.setup.scheme.name);
  add(2, fmt::format("{:.2f}x", point.speedup()));
  add(1, fmt::format("{:.2f}-{:.2f}", point.speedup_low, point.speedup_high));
}

// "compression is at least 5 % faster at 3 of 6 points; the best is gpt_2.7b at 25 Gbps: sdp4bit,
// 1.85 times as fast".
std::string answer_text(std::span<const MapPoint> points) {
  const auto gains = [](const MapPoint& point) {
    return point.pays() && (point.speedup() >= kLeastGain || !point.uncompressed.fits);
  };
  const auto count = std::ranges::count_if(points, gains);
  if (count == 0)
    return fmt::format("compression is at least 5 % faster at none of {} points", points.size());
  const auto gain = [&](const MapPoint& point) { return gains(point) ? point.speedup() : 0; };
  const MapPoint& most = *std::ranges::max_element(points, {}, gain);
  return fmt::format(
      "compression is at least 5 % faster at {} of {} points; the best is {} at {:g} Gbps: {}, "
      "{:.3g} times as fast",
      count, points.size(), most.model, most.nic_bandwidth.base() * 8 / 1e9,
      most.compressed.setup.scheme.name, most.speedup());
}

// Three rows a model, a column a bandwidth. Each model has the same bandwidths.
void print_table(std::span<const MapPoint> points) {
  Grid grid{.corner = "per NIC", .columns = {}, .rows = {}, .cells = {}};
  for (const MapPoint& point : points) {
    add_rows(point, grid);
    if (grid.rows.size() == 3) {
      grid.columns.push_back(fmt::format("{:g} Gbps", point.nic_bandwidth.base() * 8 / 1e9));
    }
  }
  print_answer(answer_text(points));
  print_text(
      "{}: {} GPUs; the fastest compressed scheme and its speed-up over the fastest uncompressed\n"
      "setup, in brackets where the uncompressed one is faster\n\n",
      points.front().topology, points.front().gpus);
  print_styled(grid_text(grid, output_width()));
  print_text("\n");
  print_styled(sim::range_and_fit_notes(true, std::ranges::all_of(points, both_fit)));
  print_text("--format csv shows the options of each\n");
}

}  // namespace

void print_map(const std::string& format, std::span<const MapRow> rows) {
  if (format == "table") {
    std::vector<MapPoint> points;
    for (const MapRow& row : rows) points.push_back(row.point);
    return print_table(points);
  }
  std::vector<Json> records;
  for (const MapRow& row : rows) records.push_back(record_of(row));
  print_records(format, records);
}

}  // namespace apps
