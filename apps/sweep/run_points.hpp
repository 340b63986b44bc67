// SPDX-License-Identifier: Apache-2.0
// The main loop of a sweep: starts the open points and records those that end.
#pragma once

#include <boost/program_options.hpp>
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

// For -j, 1 to 4096. Throws InputError for another number.
[[nodiscard]] boost::program_options::typed_value<int>* jobs_flag(int& jobs);
// This many workers; 0: one per core available to this process.
[[nodiscard]] int workers_of(int jobs);

struct RunPlan {
  std::int64_t session;  // its key
  int workers;
  std::filesystem::path folder;  // that points run in
};

[[nodiscard]] Totals run_points(Store& store, Origins& origins, const Signals& signals,
                                const RunPlan& plan);

}  // namespace apps
