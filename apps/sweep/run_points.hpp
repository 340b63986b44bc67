// The main loop of a sweep: starts the open points, records those that end.
#pragma once

#include <boost/program_options.hpp>
#include <cstdint>
#include <filesystem>

#include "apps/sweep/store.hpp"
#include "apps/sweep/workers.hpp"

namespace apps {

struct Totals {
  int stopped_by = 0;  // a signal; 0 where all points have been run
  std::int64_t ended = 0;
  double wall_s = 0, cpu_s = 0;
};

// Of -j, 1 to 4096. Throws InputError for another number.
[[nodiscard]] boost::program_options::typed_value<int>* jobs_flag(int& jobs);
// As many workers; 0: one for each core that this process may use.
[[nodiscard]] int workers_of(int jobs);

struct RunPlan {
  std::int64_t session;  // its key
  int workers;
  std::filesystem::path folder;  // that points run in
};

[[nodiscard]] Totals run_points(Store& store, Origins& origins, const Signals& signals,
                                const RunPlan& plan);

}  // namespace apps
