// SPDX-License-Identifier: Apache-2.0
#include "apps/check/run_spec.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/sweep/plan.hpp"
#include "apps/sweep/run_points.hpp"
#include "sim/base/error.hpp"

namespace apps {

Results run_spec(const std::filesystem::path& file, int jobs) {
  const Spec spec = read_spec(file);
  const std::vector<Planned> points = plan(spec, Shard{});
  const std::filesystem::path folder = folder_of(file);
  const Signals signals;
  Origins origins(folder);
  // SQLite's name of a database in memory: nothing is kept but the baseline.
  Store store(":memory:", Access::create);
  store.set_points({spec.text, sha256(spec.text), Shard{}.text()}, points);
  const std::int64_t session =
      store.begin_session({.version = GARDENHOSE_VERSION, .workers = jobs});
  const Totals totals = run_points(store, origins, signals, {session, jobs, folder});
  if (totals.stopped_by != 0) return {.stopped_by = totals.stopped_by};
  if (const std::vector<std::string> changed = origins.changed(); !changed.empty()) {
    throw sim::InputError(fmt::format("{}: {} changed while the points ran; run it again",
                                      file.string(), fmt::join(changed, ", ")));
  }
  if (const auto open = store.counts()["open"]; open > 0) {
    throw sim::InputError(
        fmt::format("{}: {} of its points were interrupted; run it again", file.string(), open));
  }
  return results_in(store);
}

}  // namespace apps
