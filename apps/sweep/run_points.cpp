// SPDX-License-Identifier: Apache-2.0
#include "apps/sweep/run_points.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <string>
#include <utility>
#include <vector>

#include "apps/print.hpp"
#include "apps/progress.hpp"
#include "apps/sweep/outcome.hpp"
#include "apps/sweep/refusals.hpp"
#include "apps/sweep/shard.hpp"
#include "apps/words.hpp"
#include "sim/base/error.hpp"

namespace apps {
namespace {

constexpr std::chrono::milliseconds kBeat{200};  // of the progress

// Of all workers that have ended.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Of each point the id of its origin, which the store then has.
std::vector<std::string> origins_of(const std::vector<OpenPoint>& points, Store& store,
                                    Origins& origins) {
  std::vector<std::string> ids;
  Transaction transaction(store.database());
  for (const OpenPoint& point : points) {
    const Origin& origin = origins.of(point.inputs);
    store.add_origin(origin);
    ids.push_back(origin.id);
  }
  transaction.commit();
  return ids;
}

// Told to end from outside, as Slurm tells all processes of a job: the point stays open.
bool was_stopped(int status) {
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
}

// Those of the spec that have been run before.
std::int64_t ended_before(Store& store) {
  std::int64_t ended = 0;
  for (const auto& [state, count] : store.counts()) {
    if (state != "open" && !state.empty()) ended += count;
  }
  return ended;
}

// "12 of 200 points, 3.40 a second, 55 s left; 2 refused or crashed". Points that ended before count
// too, but not for the rate.
std::string how_far(std::int64_t before, std::size_t open, const Totals& totals, double elapsed_s) {
  const auto ended = static_cast<double>(totals.ended);
  const double rate = ended / elapsed_s;
  return fmt::format(
      "{} of {} points, {:.{}f} a second, {} left{}", before + totals.ended,
      before + static_cast<std::int64_t>(open), rate, rate < 10 ? 2 : 0,
      duration_text((static_cast<double>(open) - ended) / rate),
      totals.failed == 0 ? "" : fmt::format("; {} refused or crashed", totals.failed));
}

void print_refused_values(const std::vector<OpenPoint>& points,
                          const std::filesystem::path& folder) {
  for (const RefusedValue& value : refused_values(points, folder)) {
    const std::string with = value.text.empty() ? "" : " with " + value.text;
    print_note("note: none of {} points{} can run: {}\n", value.points, with, value.message);
  }
}

}  // namespace

Totals run_points(Store& store, Origins& origins, const Signals& signals, const RunPlan& plan) {
  const std::vector<OpenPoint> open = store.open_points();
  const std::vector<std::string> ids = origins_of(open, store, origins);
  print_refused_values(open, plan.folder);
  const std::int64_t before = ended_before(store);
  Progress progress("sweep", 0);
  progress.log_each_minute();
  Workers workers(signals, plan.workers, plan.folder);
  Totals totals;
  std::size_t next = 0;
  const auto fill = [&] {
    for (; next < open.size() && workers.has_room(); ++next) {
      Arguments arguments = arguments_of(open[next].inputs);
      arguments.emplace_back("--format=json");
      arguments.emplace_back("--jobs=1");
      // Thrice the time: a spec asks for it with range = "on".
      if (!open[next].inputs.contains("range")) arguments.emplace_back("--range=off");
      workers.start(next, arguments);
    }
  };
  for (fill(); !workers.is_idle() && totals.stopped_by == 0;) {
    const int signal = signals.wait(kBeat);
    if (signal != SIGCHLD) totals.stopped_by = signal;
    std::vector<Finished> batch;
    for (const Ended& ended : workers.take_ended()) {
      if (was_stopped(ended.status)) continue;
      batch.push_back(outcome_of(ended));
      batch.back().point = open[ended.tag].point;
      batch.back().origin = ids[ended.tag];
      totals.failed += batch.back().report.is_null() ? 1 : 0;
    }
    // First the next ones, so that no core waits for the disk.
    if (totals.stopped_by == 0) fill();
    store.record(plan.session, batch);
    totals.ended += static_cast<std::int64_t>(batch.size());
    if (totals.ended > 0) {
      progress.show([&] { return how_far(before, open.size(), totals, progress.elapsed_s()); });
    }
  }
  totals.wall_s = progress.elapsed_s();
  totals.cpu_s = cpu_seconds();
  return totals;
}

}  // namespace apps
