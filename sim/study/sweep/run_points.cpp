// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/joined.hpp"
#include "sim/study/sweep/processes.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace sim::sweep {
namespace {

// Of all processes that have ended.
double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Of each point the id of its origin, which the store then has.
std::vector<std::string> ids_of(const std::vector<OpenPoint>& points, Store& store,
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

// Those of the spec that have been run before.
std::int64_t ended_before(Store& store) {
  std::int64_t ended = 0;
  for (const auto& [state, count] : store.counts()) {
    if (state != "open" && !state.empty()) ended += count;
  }
  return ended;
}

// Opens the points again that are to be run again; refuses a store whose points nobody would get by
// sweeping it.
void reopen(Store& store, Origins& origins, const Again& again) {
  std::vector<std::int64_t> outdated;
  std::set<std::string> changes;
  std::map<std::string, Origin> known;
  for (Origin& origin : store.origins()) known.emplace(origin.id, std::move(origin));
  store.each_origin([&](std::int64_t point, const Inputs& inputs, const std::string& origin) {
    const Origin& today = origins.of(inputs);
    if (today.id == origin) return;
    outdated.push_back(point);
    changes.merge(differences(known[origin], today));
  });
  if (!outdated.empty() && !again.outdated) {
    throw InputError(
        fmt::format("{}: {} of its points were computed from other inputs: {}; rerun them with "
                    "`recompute`, or start afresh with `store` FILE",
                    store.file().string(), outdated.size(), joined(changes)));
  }
  store.reopen(outdated);
  if (again.crashed) store.reopen(store.points_that_crashed());
}

}  // namespace

Store open_sweep(const std::filesystem::path& file, const Identity& identity,
                 const std::vector<Planned>& points, Origins& origins, const Again& again) {
  Store store(file, Access::create);
  if (const auto before = store.identity(); before && before->shard != identity.shard) {
    throw InputError(
        fmt::format("{}: holds shard {}, but this is shard {}; name another file with `store`",
                    file.string(), before->shard, identity.shard));
  }
  store.set_points(identity, points);
  reopen(store, origins, again);
  return store;
}

Totals run_points(Store& store, Origins& origins, const Runner& runner, const Signals& signals,
                  Session session) {
  const std::vector<OpenPoint> open = store.open_points();
  const std::vector<std::string> ids = ids_of(open, store, origins);
  session.session = store.begin_session(session);
  Totals totals{.before = ended_before(store), .open = static_cast<std::int64_t>(open.size())};
  const auto start = std::chrono::steady_clock::now();
  const Tasks tasks{.count = open.size(),
                    .at_once = session.workers,
                    .folder = runner.folder,
                    .run = [&](std::size_t task) { return runner.report(open[task].inputs); }};
  totals.stopped_by = run_in_processes(tasks, signals, [&](std::vector<Ended> ended) {
    std::vector<Finished> batch;
    for (Ended& one : ended) {
      if (one.outcome.state == "open") continue;
      totals.failed += one.outcome.report.is_null() ? 1 : 0;
      batch.push_back({open[one.task].point, std::move(one.outcome), ids[one.task]});
    }
    store.record(session.session, batch);
    totals.ended += static_cast<std::int64_t>(batch.size());
    runner.beat(totals);
  });
  totals.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  totals.cpu_s = cpu_seconds();
  session.wall_s = totals.wall_s;
  session.cpu_s = totals.cpu_s;
  store.end_session(session);
  return totals;
}

}  // namespace sim::sweep
