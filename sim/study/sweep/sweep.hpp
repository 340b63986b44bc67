// SPDX-License-Identifier: Apache-2.0
// Sweep: runs the points of a grid, in worker processes that take one point after the other, and keeps
// their reports in an SQLite file. Repeated, it goes on with the points that are left.
//
//   const Runner runner{.report = [](const Inputs& inputs) { ... }};      what a point is
//   const Spec spec = read_spec("study.toml");                            which points there are
//   const Signals signals;                                                Ctrl-C ends the sweep
//   const StoreLock lock("study.sqlite");                                 no other sweep's
//   Origins origins = origins_of(runner);
//   Store store = open_sweep("study.sqlite", identity_of(spec, {}), points_of(spec), origins);
//   run_points(store, origins, runner, signals, new_session(runner.version, {}, 8));
//   each_record(store, [](const Inputs& record) { ... });                 as in a table
//
// docs/examples/sweep-in-cpp is a program that does this.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/study/sweep/refusals.hpp"
#include "sim/study/sweep/signals.hpp"
#include "sim/study/sweep/store.hpp"
#include "sim/study/sweep/store_lock.hpp"

namespace sim::sweep {

struct Totals {
  int stopped_by = 0;                 // a signal; 0 if all points have run
  std::int64_t before = 0, open = 0;  // points that had run, and had not, when it began
  std::int64_t ended = 0;
  std::int64_t failed = 0;  // of those, refused or crashed
  double wall_s = 0, cpu_s = 0;
};

// What a program knows of its points. The folder is that of the spec: points run in it, and paths
// among their inputs are relative to it.
struct Runner {
  std::string version;  // of the program
  std::filesystem::path folder = std::filesystem::current_path();
  // Runs a point, in a worker, which may keep what it reads for later ones. InputError: its inputs do not go together.
  std::function<Inputs(const Inputs& inputs)> report;
  Refusal refusal = [](const Inputs&) { return ""; };
  Origins::FilesOf files = [](const Inputs&) { return FileNames(); };
  // Called whenever points have ended, and at least every 200 ms.
  std::function<void(const Totals&)> beat = [](const Totals&) {};
};
[[nodiscard]] inline Origins origins_of(const Runner& runner) {
  return {runner.version, runner.files};
}

// Points that have run but are to be run again.
struct Again {
  bool outdated = false;  // those of another origin; otherwise they are an error
  bool crashed = false;
};

// The store with these points, those that are to be run open. Throws InputError for a store of
// another shard, or with points of another origin.
[[nodiscard]] Store open_sweep(const std::filesystem::path& file, const Identity& identity,
                               const std::vector<Planned>& points, Origins& origins,
                               const Again& again = {});

// Runs the open points, as many at a time as the session has workers, and records each when it
// ends.
Totals run_points(Store& store, Origins& origins, const Runner& runner, const Signals& signals,
                  Session session);

// Writes the points of stores of one spec into a new one, which appears once it is complete: as if
// one machine had run all shards. Returns its points by state. Throws InputError for stores that
// were computed from different files, and Stopped for a signal.
std::map<std::string, std::int64_t> merge(const std::filesystem::path& out,
                                          const std::vector<std::string>& stores,
                                          const InputRules& rules, const Signals& signals);

// The points that have run, by number, as rows of one table: number, state, the inputs
// (in_network_nic_bandwidth and, as a number, in_network_nic_bandwidth_Bps), the figures that any
// point has, message.
void each_record(Store& store, const std::function<void(const Inputs& record)>& visit);

}  // namespace sim::sweep
