// SPDX-License-Identifier: Apache-2.0
// gardenhose-fold-grid: measures folded collectives against step-by-step ones over the whole grid.
// Prints a CSV row a point, progress on standard error; exit code 1 when a point differs by more
// than the tolerance. Leaves out points of more flows than MOST.
//
//   gardenhose-fold-grid [MOST]
#include "tests/schedule/fold_grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  using namespace sim;
  const double most = argc > 1 ? std::atof(argv[1]) : 100'000;
  const std::vector<FoldPoint> points = fold_points(full_axes());
  fmt::print(
      "collective,algorithm,protocol,fabric,gpus,bytes,oversubscription,gpus_per_nic,folded_s,"
      "step_by_step_s,difference\n");
  double worst = 0;
  std::string worst_row = "none";
  for (std::size_t i = 0; i < points.size(); ++i) {
    const FoldPoint& point = points[i];
    if (const double steps = steps_of(point); steps == 0 || steps > most) continue;
    const FoldTimes times = fold_times(point);
    const std::string row =
        fmt::format("{},{},{},{},{},{},{},{},{:.9g},{:.9g},{:+.5f}", point.collective.name,
                    point.algorithm->name, name_of(std::optional(point.protocol), kProtocolNames),
                    point.fabric->name, point.gpus, point.bytes.count, point.oversubscription,
                    point.gpus_per_nic, times.folded_s, times.step_by_step_s, times.difference());
    fmt::print("{}\n", row);
    std::fflush(stdout);
    if (std::abs(times.difference()) > worst) {
      worst = std::abs(times.difference());
      worst_row = row;
    }
    fmt::print(stderr, "\r{} of {} points, worst {:.3f} %", i + 1, points.size(), 100 * worst);
  }
  fmt::print(stderr, "\nworst: {}\n", worst_row);
  return worst > kFoldTolerance ? 1 : 0;
}
