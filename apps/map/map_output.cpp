// A map of schemes as a table, JSON or CSV.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "apps/map/grid_text.hpp"
#include "apps/map/scheme_map.hpp"
#include "apps/print.hpp"
#include "apps/print_records.hpp"
#include "sim/report/text_table.hpp"

namespace apps {
namespace {

using Json = nlohmann::ordered_json;

Json record_of(const MapPoint& point) {
  const Best& best = point.pays() ? point.compressed : point.uncompressed;
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
          {"uncompressed_flags", point.uncompressed_flags},
          {"compressed", point.compressed.setup.scheme.name},
          {"compressed_step_time_s", point.compressed.step_time_s},
          {"compressed_fits_memory", point.compressed.fits},
          {"compressed_flags", point.compressed_flags}};
}

// Both of what is compared.
bool both_fit(const MapPoint& point) { return point.compressed.fits && point.uncompressed.fits; }

// "sdp4bit 1.85x 1.79-1.92"; in brackets what the fastest compressed scheme makes of it where it
// loses.
std::string cell_of(const MapPoint& point) {
  const std::string text =
      fmt::format("{} {:.2f}x {:.2f}-{:.2f}{}", point.compressed.setup.scheme.name, point.speedup(),
                  point.speedup_low, point.speedup_high, both_fit(point) ? "" : sim::kDoesNotFit);
  return point.pays() ? text : "(" + text + ")";
}

// A row a model, a column a bandwidth. Each model has the same bandwidths.
void print_table(std::span<const MapPoint> points) {
  Grid grid{.corner = "a NIC", .columns = {}, .rows = {}, .cells = {}};
  for (const MapPoint& point : points) {
    if (grid.rows.empty() || grid.rows.back() != point.model) {
      grid.rows.push_back(point.model);
      grid.cells.emplace_back();
    }
    if (grid.rows.size() == 1) {
      grid.columns.push_back(fmt::format("{:g} Gbps", point.nic_bandwidth.base() * 8 / 1e9));
    }
    grid.cells.back().push_back(cell_of(point));
  }
  print_text(
      "{}: {} GPUs; speed-up of the fastest compressed scheme over the fastest uncompressed "
      "setup, in brackets where that is faster; and from what to what it is with one spread less "
      "or more\nof the compute efficiency alone\n\n{}\n{}how each is run: --format csv\n",
      points.front().topology, points.front().gpus, grid_text(grid),
      std::ranges::all_of(points, both_fit) ? "" : sim::kDoesNotFitNote);
}

}  // namespace

void print_map(const std::string& format, std::span<const MapPoint> points) {
  if (format == "table") return print_table(points);
  std::vector<Json> records;
  for (const MapPoint& point : points) records.push_back(record_of(point));
  print_records(format, records);
}

}  // namespace apps
