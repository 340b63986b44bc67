// SPDX-License-Identifier: Apache-2.0
// The main loop of a sweep: starts the open points and records those that end.
#pragma once

#include <cstdint>
#include <filesystem>

#include "apps/sweep/store.hpp"
#include "apps/sweep/workers.hpp"

namespace apps {

struct Totals {
  int stopped_by = 0;  // a signal; 0 if all points have run
  std::int64_t ended = 0;
  std::int64_t failed = 0;  // of those, refused or crashed
  double wall_s = 0, cpu_s = 0;
};

struct RunPlan {
  std::int64_t session;  // its key
  int workers;
  std::filesystem::path folder;  // that points run in
};

[[nodiscard]] Totals run_points(Store& store, Origins& origins, const Signals& signals,
                                const RunPlan& plan);

}  // namespace apps
