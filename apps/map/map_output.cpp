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
#include "apps/words.hpp"
#include "sim/base/joined.hpp"
#include "sim/report/writers.hpp"

namespace apps {
namespace {

using sim::study::MapPoint;
using sim::study::MapSide;
using Json = nlohmann::ordered_json;

// A point, and where it is.
struct Placed {
  const MapRow& row;
  const AxisValue &x, &y;

  [[nodiscard]] const MapPoint& point() const { return row.point; }
};

std::vector<Placed> placed(const Axis& x, const Axis& y, std::span<const MapRow> rows) {
  std::vector<Placed> all;
  const std::size_t columns = x.values.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all.push_back({rows[i], x.values[i % columns], y.values[i / columns]});
  }
  return all;
}

std::string needs_of(const MapSide& side) {
  return with_flags(sim::study::remedies_text(side.remedies));
}

Json record_of(const Axis& x, const Axis& y, const Placed& one) {
  const MapPoint& point = one.point();
  const auto verdict = point.verdict();
  const auto number = [](const AxisValue& value) {
    return value.number ? Json(*value.number) : Json();
  };
  return {{"topology", point.topology},
          {"gpus", point.gpus},
          {"model", point.model},
          {"nic_bandwidth_Bps", point.nic_bandwidth ? Json(point.nic_bandwidth->base()) : Json()},
          {"tensor_parallel", point.tensor},
          {"pipeline_parallel", point.pipeline},
          {"global_batch", point.global_batch},
          {"sequence", point.sequence},
          {"fastest", point.fastest().setup.scheme.name},
          {"pays", point.pays()},
          {"verdict", verdict ? Json(sim::verdict_name(*verdict)) : Json()},
          {"speedup", point.speedup},
          {"speedup_low", point.speedup_range.low},
          {"speedup_high", point.speedup_range.high},
          {"uncompressed", point.uncompressed.setup.scheme.name},
          {"uncompressed_step_time_s", point.uncompressed.step_time_s},
          {"uncompressed_fits_memory", point.uncompressed.fits},
          {"uncompressed_flags", one.row.uncompressed_flags},
          {"compressed", point.compressed.setup.scheme.name},
          {"compressed_step_time_s", point.compressed.step_time_s},
          {"compressed_fits_memory", point.compressed.fits},
          {"compressed_flags", one.row.compressed_flags},
          {"x_input", x.name},
          {"x", one.x.text},
          {"y_input", y.name},
          {"y", one.y.text},
          {"uncompressed_tokens_per_s", point.uncompressed.tokens_per_s},
          {"uncompressed_needs", needs_of(point.uncompressed)},
          {"compressed_tokens_per_s", point.compressed.tokens_per_s},
          {"compressed_needs", needs_of(point.compressed)},
          {"x_number", number(one.x)},
          {"y_number", number(one.y)}};
}

GridCell cell_of(const MapPoint& point) {
  const auto name = [](const MapSide& side) { return side.fits ? side.setup.scheme.name : ""; };
  return {.challenger = name(point.compressed),
          .baseline = name(point.uncompressed),
          .verdict = point.verdict(),
          .speedup = point.speedup,
          .range = point.speedup_range,
          .needs = needs_of(point.compressed.fits ? point.compressed : point.uncompressed)};
}

// "; at 2 points it is too close to call; at 1 point nothing fits in memory".
std::string undecided_text(std::span<const Placed> points) {
  const auto said = [&](std::optional<sim::Verdict> verdict, const char* what) {
    const auto count = std::ranges::count(points, verdict,
                                          [](const Placed& one) { return one.point().verdict(); });
    return count == 0 ? ""
                      : fmt::format("; at {} {} {}", count, count == 1 ? "point" : "points", what);
  };
  return said(sim::Verdict::tie, "it is too close to call") +
         said(std::nullopt, "nothing fits in memory");
}

// "gpt_2.7b at 25 Gbps: sdp4bit, 1.85 times as fast".
std::string point_text(const Placed& one) {
  const MapPoint& point = one.point();
  const std::string how = point.uncompressed.fits
                              ? fmt::format("{:.3g} times as fast", point.speedup)
                              : "which alone fits in memory";
  return fmt::format("{} at {}: {}, {}", one.y.text, one.x.text, point.compressed.setup.scheme.name,
                     how);
}

// "compression wins at 3 of 6 points; the best is gpt_2.7b at 25 Gbps: sdp4bit, 1.85 times as fast".
std::string answer_text(std::span<const Placed> points) {
  const auto pays = [](const Placed& one) { return one.point().pays(); };
  const auto count = std::ranges::count_if(points, pays);
  const std::string rest = undecided_text(points);
  if (count == 0)
    return fmt::format("compression wins at none of {} points{}", points.size(), rest);
  // A speed-up over what does not fit is none.
  const auto gain = [&](const Placed& one) {
    return !pays(one) ? 0 : one.point().uncompressed.fits ? one.point().speedup : 1;
  };
  const Placed& most = *std::ranges::max_element(points, {}, gain);
  return fmt::format("compression wins at {} of {} points; the best is {}{}", count, points.size(),
                     point_text(most), rest);
}

// "dgx_h100_x16: 16 GPUs, gpt_1.3b": what all points have in common.
std::string subject_text(const Axis& x, const Axis& y, std::span<const Placed> points) {
  const MapPoint& first = points.front().point();
  const auto on_axis = [&](const char* name) { return x.is(name) || y.is(name); };
  std::vector<std::string> parts;
  if (std::ranges::all_of(points, [&](const auto& p) { return p.point().gpus == first.gpus; })) {
    parts.push_back(fmt::format("{} GPUs", first.gpus));
  }
  if (!on_axis("model")) parts.push_back(first.model);
  return parts.empty() ? first.topology : first.topology + ": " + sim::joined(parts);
}

void print_table(const Axis& x, const Axis& y, std::span<const Placed> points) {
  Grid grid{.corner = y.name + " by " + x.name, .columns = {}, .rows = {}, .cells = {}};
  for (const AxisValue& value : x.values) grid.columns.push_back(value.text);
  for (const AxisValue& value : y.values) grid.rows.push_back(value.text);
  grid.cells.resize(y.values.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    grid.cells[i / x.values.size()].emplace_back(cell_of(points[i].point()));
  }
  print_answer(answer_text(points));
  print_text(
      "{}\n"
      "The fastest compressed scheme and its speed-up over the fastest uncompressed setup, in\n"
      "brackets where it does not win: slower, or too close to call\n\n",
      subject_text(x, y, points));
  print_styled(grid_text(grid, output_width()));
  const bool has_range = std::ranges::any_of(points, [](const Placed& one) {
    return one.point().compressed.fits && one.point().uncompressed.fits;
  });
  print_text("\n");
  print_styled(sim::range_and_fit_notes(has_range, true));
  print_text("--format csv shows the options of each\n");
}

}  // namespace

void print_map(const std::string& format, const Axis& x, const Axis& y,
               std::span<const MapRow> rows) {
  const std::vector<Placed> points = placed(x, y, rows);
  if (format == "table") return print_table(x, y, points);
  std::vector<Json> records;
  for (const Placed& one : points) records.push_back(record_of(x, y, one));
  print_records(format, records);
}

}  // namespace apps
