// SPDX-License-Identifier: Apache-2.0
// A map's points between sites.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/map.hpp"
#include "sim/study/membership.hpp"
#include "sim/study/search/likely_range.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"

namespace sim::study {
namespace {

void set_step(Job& job, std::int64_t tokens) {
  job.parallelism.accumulation = 1;
  const Setup one{job.setups.front().scheme, job.parallelism};
  const std::int64_t pass = global_batch(job, one) * job.model.sequence;
  const std::int64_t passes = tokens / pass + (tokens % pass == 0 ? 0 : 1);
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  job.parallelism.accumulation = static_cast<int>(std::min(passes, kMost));
  for (Setup& setup : job.setups) setup.parallelism.accumulation = job.parallelism.accumulation;
  for (const Site& site : job.topology.sites) {
    if (is_held(site.cluster, job.model, job.parallelism_at(site))) continue;
    throw InputError(fmt::format(
        "`tokens`: {} are {} micro-batches of {} at site {}, more than a simulation can "
        "hold; write fewer",
        tokens, passes, job.model.name, site.name));
  }
}

struct RunnableScheme {
  MapSide side;
  Report report;
};

RunnableScheme runnable(const Job& job, const Setup& given) {
  const Fitting fitting = made_to_fit(job, given);
  Report report = simulate(job, fitting.setup).report;
  report.membership = membership_of(job, fitting.setup, report);
  return {{.setup = fitting.setup,
           .step_time_s = report.time_s,
           .tokens_per_s = report.trained_tokens_per_s(),
           .fits = fitting.fits,
           .remedies = fitting.remedies},
          std::move(report)};
}

// Of those that fit, if any does.
const RunnableScheme& fastest_of(const std::vector<RunnableScheme>& runnables, bool compresses) {
  const auto merit = [&](const RunnableScheme& one) {
    return std::tuple(one.side.setup.scheme.compresses() == compresses, one.side.fits,
                      one.side.tokens_per_s);
  };
  return *std::ranges::max_element(runnables, {}, merit);
}

// Where a round never ends, nothing is trained on.
void add_speedup(const Job& job, const RunnableScheme& compressed,
                 const RunnableScheme& uncompressed, MapPoint& point) {
  const double with = compressed.side.tokens_per_s, without = uncompressed.side.tokens_per_s;
  point.speedup = with == without ? 1 : with / without;
  point.speedup_range = {.low = point.speedup, .high = point.speedup};
  if (!(with > 0 && without > 0)) return;
  const auto sensitivity = [&](const RunnableScheme& one) {
    return sensitivity_of(job, one.side.setup, one.report);
  };
  point.speedup_range =
      range_of_ratio(point.speedup, sensitivity(compressed), sensitivity(uncompressed));
}

int gpus_of(const WideArea& area) {
  return std::accumulate(area.sites.begin(), area.sites.end(), 0, [](int sum, const Site& site) {
    return sum + site.count * rank_count(site.cluster);
  });
}

}  // namespace

Job map_sites_job(Job job, std::int64_t tokens) {
  std::erase_if(job.setups, [](const Setup& setup) { return !setup.scheme.compresses(); });
  if (job.setups.empty()) {
    throw InputError(
        "`scheme`: names no compressed scheme; add one, uncompressed ones are always in the map");
  }
  for (const Scheme* scheme : all_schemes(SchemeKind::between_sites)) {
    if (scheme->compresses()) continue;
    Setup setup = job.setup_of(job.with_settings(*scheme));
    if (problem(job.round(setup), setup.scheme).empty()) job.setups.push_back(std::move(setup));
  }
  check(job, job.setups);
  set_step(job, tokens);
  return job;
}

MapPoint map_sites_point(const Job& job, int jobs, const std::function<void()>& begin_scheme) {
  const std::vector<RunnableScheme> runnables =
      in_parallel(jobs, job.setups.size(), [&](std::size_t i) {
        begin_scheme();
        return runnable(job, job.setups[i]);
      });
  const RunnableScheme& compressed = fastest_of(runnables, true);
  const RunnableScheme& uncompressed = fastest_of(runnables, false);
  MapPoint point{.topology = job.topology.name,
                 .model = job.model.name,
                 .gpus = gpus_of(job.topology),
                 .tensor = job.parallelism.tensor,
                 .pipeline = job.parallelism.pipeline,
                 .sequence = static_cast<int>(job.model.sequence),
                 .global_batch = global_batch(job, compressed.side.setup),
                 .nic_bandwidth = {},
                 .uncompressed = uncompressed.side,
                 .compressed = compressed.side};
  add_speedup(job, compressed, uncompressed, point);
  return point;
}

}  // namespace sim::study
