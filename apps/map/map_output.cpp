// SPDX-License-Identifier: Apache-2.0
#include "apps/map/map_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/map/grid_text.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "apps/terminal.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

using sim::study::MapPoint;
using Json = nlohmann::ordered_json;

Json record_of(const MapRow& row) {
  const MapPoint& point = row.point;
  const auto verdict = point.verdict();
  return {{"topology", point.topology},
          {"gpus", point.gpus},
          {"model", point.model},
          {"nic_bandwidth_Bps", point.nic_bandwidth.base()},
          {"tensor_parallel", point.tensor},
          {"pipeline_parallel", point.pipeline},
          {"global_batch", point.global_batch},
          {"sequence", point.sequence},
          {"fastest", point.fastest().setup.scheme.name},
          {"pays", point.pays()},
          {"verdict", verdict ? Json(sim::verdict_name(*verdict)) : Json()},
          {"speedup", point.speedup()},
          {"speedup_low", point.speedup_range.low},
          {"speedup_high", point.speedup_range.high},
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

// In brackets where compression does not win; marked where something does not fit.
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
  add(1, fmt::format("{:.2f}-{:.2f}", point.speedup_range.low, point.speedup_range.high));
}

// "; at 2 points it is too close to call; at 1 point nothing fits in memory".
std::string undecided_text(std::span<const MapPoint> points) {
  const auto said = [&](std::optional<sim::Verdict> verdict, const char* what) {
    const auto count = std::ranges::count(points, verdict, &MapPoint::verdict);
    return count == 0 ? ""
                      : fmt::format("; at {} {} {}", count, count == 1 ? "point" : "points", what);
  };
  return said(sim::Verdict::tie, "it is too close to call") +
         said(std::nullopt, "nothing fits in memory");
}

// "gpt_2.7b at 25 Gbps: sdp4bit, 1.85 times as fast".
std::string point_text(const MapPoint& point) {
  const std::string how = point.uncompressed.fits
                              ? fmt::format("{:.3g} times as fast", point.speedup())
                              : "which alone fits in memory";
  return fmt::format("{} at {:g} Gbps: {}, {}", point.model, point.nic_bandwidth.base() * 8 / 1e9,
                     point.compressed.setup.scheme.name, how);
}

// "compression wins at 3 of 6 points; the best is gpt_2.7b at 25 Gbps: sdp4bit, 1.85 times as fast".
std::string answer_text(std::span<const MapPoint> points) {
  const auto count = std::ranges::count_if(points, &MapPoint::pays);
  const std::string rest = undecided_text(points);
  if (count == 0)
    return fmt::format("compression wins at none of {} points{}", points.size(), rest);
  // A speed-up over what does not fit is none.
  const auto gain = [](const MapPoint& point) {
    return !point.pays() ? 0 : point.uncompressed.fits ? point.speedup() : 1;
  };
  const MapPoint& most = *std::ranges::max_element(points, {}, gain);
  return fmt::format("compression wins at {} of {} points; the best is {}{}", count, points.size(),
                     point_text(most), rest);
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
      "setup, in brackets where it does not win: slower, or too close to call\n\n",
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
