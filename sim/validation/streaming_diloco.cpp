// SPDX-License-Identifier: Apache-2.0
#include "sim/validation/streaming_diloco.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "sim/base/csv.hpp"
#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/rounds/simulate_round.hpp"

namespace sim::validation {
namespace {

constexpr int kRoundSteps = 100;
constexpr int kParts = 128;  // in which gradients are released
constexpr double kBytesPerParameter = 2;

constexpr std::array<const char*, kUtilisations.size()> kColumns{"cu50", "cu80", "cu90", "cu95",
                                                                 "cu99"};

int grid_point(double bandwidth_Gbps) {
  return static_cast<int>(std::lround((std::log10(bandwidth_Gbps) + 1) * (kGridPoints - 1) / 4));
}

RoundShape shape_of(const BandwidthRow& row, double payload) {
  const bool streaming = row.method.starts_with("streaming");
  const bool data_parallel = row.method == "data_parallel";
  RoundShape shape{.exchange = &exchanges::ring,
                   .inner_steps = data_parallel ? 1 : kRoundSteps,
                   .fragments = streaming ? row.fragments : 1,
                   .overlap_steps = row.method.find("overlap") != std::string::npos ? 1 : 0};
  shape.rounds = shape.overlap_steps > 0 ? 2 : 1;
  SiteWork site{.step_s = row.step_s, .needed_s = row.step_s};
  for (int part = 1; part <= kParts; ++part) {
    site.ready_s.push_back(row.step_s * (1 + 2.0 * part / kParts) / 3);
  }
  site.ready_s.back() = row.step_s;
  const double bytes = payload * kBytesPerParameter * row.parameters / shape.fragments /
                       (row.method.ends_with("fp4") ? 4 : 1);
  site.whole_bytes = bytes;
  site.part_bytes = bytes / 2;
  shape.sites = {site, site};
  return shape;
}

}  // namespace

double grid_bandwidth_Gbps(int point) {
  return 0.1 * std::pow(10.0, 4.0 * point / (kGridPoints - 1));
}

std::vector<BandwidthRow> read_bandwidth_table(const std::filesystem::path& file) {
  std::vector<BandwidthRow> rows;
  for (const CsvRow& line : read_csv(file)) {
    BandwidthRow row{.model = line.text("model"),
                     .method = line.text("method"),
                     .parameters = line.number("parameters"),
                     .fragments = line.integer("fragments"),
                     .step_s = line.number("step_s")};
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      row.published[i] = grid_point(line.number(kColumns[i]));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

double utilisation(const BandwidthRow& row, double bandwidth_Gbps, double payload) {
  const RoundShape shape = shape_of(row, payload);
  const Bandwidth line = Bandwidth::from_base(bandwidth_Gbps * 1e9 / 8);
  const RoundResult result = simulate_round(sites_of_lines(2, line, line), shape);
  return shape.inner_steps * row.step_s / result.round_s;
}

std::vector<BandwidthRow> reproduce(std::vector<BandwidthRow> rows, double payload, int jobs,
                                    const std::function<void()>& step) {
  for_each_in_parallel(jobs, rows.size(), [&](std::size_t at) {
    BandwidthRow& row = rows[at];
    std::map<int, double> known;  // by point
    const auto reaches = [&](int point, double wanted) {
      auto found = known.find(point);
      if (found == known.end()) {
        found = known.emplace(point, utilisation(row, grid_bandwidth_Gbps(point), payload)).first;
      }
      return found->second >= wanted;
    };
    for (std::size_t i = 0; i < kUtilisations.size(); ++i) {
      int low = 0;
      int high = kGridPoints;  // the least point that reaches it is in [low, high]
      while (low < high) {
        const int middle = (low + high) / 2;
        if (reaches(middle, kUtilisations[i])) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      row.simulated[i] = low;
    }
    step();
  });
  return rows;
}

int cells_within(const std::vector<BandwidthRow>& rows, int points) {
  int count = 0;
  for (const BandwidthRow& row : rows) {
    for (std::size_t i = 0; i < kUtilisations.size(); ++i) {
      count += std::abs(row.simulated[i] - row.published[i]) <= points ? 1 : 0;
    }
  }
  return count;
}

}  // namespace sim::validation
