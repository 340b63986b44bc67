// SPDX-License-Identifier: Apache-2.0
#include "sim/study/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/search/efficiency_range.hpp"
#include "sim/study/search/nic_bandwidth.hpp"
#include "sim/study/setup_options.hpp"
#include "sim/study/simulation.hpp"

namespace sim::study {
namespace {

bool fits(const Job& job, int stage) {
  Setup setup = start_of(job, scheme_named("sharded"));
  setup.parallelism.sharding.stage = stage;
  return fits_memory(job, setup);
}

// The largest where none fits.
void choose_tensor(Job& job) {
  struct Attempt {
    int stage;
    Recompute recompute;
  };
  const Recompute given = job.parallelism.recompute;
  for (const Attempt& attempt :
       {Attempt{1, given}, Attempt{3, given}, Attempt{3, Recompute::full}}) {
    job.parallelism.recompute = attempt.recompute;
    int last = job.parallelism.tensor;
    for (int tensor = 1; tensor <= job.cluster().gpus_per_node; tensor *= 2) {
      job.parallelism.tensor = tensor;
      if (!problems(job.cluster(), job.model, job.parallelism).empty()) continue;
      if (fits(job, attempt.stage)) return;
      last = tensor;
    }
    job.parallelism.tensor = last;
  }
}

std::vector<Scheme> compressed_schemes(const Job& job) {
  std::vector<Scheme> schemes;
  for (const Setup& setup : job.setups) {
    if (!setup.scheme.sends_plain()) schemes.push_back(setup.scheme);
  }
  return schemes;
}

MapPoint point_of(const Job& laid, Bandwidth bandwidth) {
  return {.topology = laid.cluster().name,
          .model = laid.model.name,
          .gpus = rank_count(laid.cluster()),
          .tensor = laid.parallelism.tensor,
          .pipeline = laid.parallelism.pipeline,
          .sequence = static_cast<int>(laid.model.sequence),
          .global_batch = global_batch(laid.cluster(), laid.parallelism),
          .nic_bandwidth = bandwidth};
}

// Of the fastest two, where NICs are `factor` times as fast.
void add_range(const Job& job, double factor, int jobs, MapPoint& point) {
  constexpr std::array kSpreads{-1.0, 1.0};
  const auto seconds = in_parallel(jobs, 2 * kSpreads.size(), [&](std::size_t i) {
    Job other = off_by(job, kSpreads[i / 2]);
    other.cluster() = with_nics(std::move(other.cluster()), factor);
    return seconds_of(other, (i % 2 == 0 ? point.uncompressed : point.compressed).setup);
  });
  const double now = point.speedup();
  std::tie(point.speedup_low, point.speedup_high) =
      std::minmax({now, seconds[0] / seconds[1], seconds[2] / seconds[3]});
}

}  // namespace

Job map_job(Job job, int tensor, std::int64_t tokens) {
  if (compressed_schemes(job).empty()) {
    throw InputError(
        "`scheme`: names no compressed scheme; add one, uncompressed ones are always in the map");
  }
  if (tensor == 0) choose_tensor(job);
  job.given.insert({"tp", "sequence-parallel", "recompute"});  // the same for both sides
  const std::int64_t pass =
      std::int64_t{data_parallel(job.cluster(), job.parallelism)} * job.model.sequence;
  const std::int64_t passes = tokens / pass + (tokens % pass == 0 ? 0 : 1);
  check_choice(job, uncompressed_schemes());
  check_choice(job, compressed_schemes(job));
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  job.parallelism.accumulation = static_cast<int>(std::min(passes, kMost));
  if (!is_held(job.cluster(), job.model, job.parallelism)) {
    throw InputError(
        fmt::format("`tokens`: {} are {} micro-batches of {} on {} GPUs, more than a simulation "
                    "can hold; write fewer",
                    tokens, passes, job.model.name, rank_count(job.cluster())));
  }
  return job;
}

std::vector<MapPoint> map_points(const Job& job, std::span<const Bandwidth> bandwidths, int jobs,
                                 const std::function<void()>& begin_point) {
  std::vector<std::size_t> order(bandwidths.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return bandwidths[b] < bandwidths[a]; });
  const std::vector<Scheme> plain = uncompressed_schemes();
  const std::vector<Scheme> compressed = compressed_schemes(job);
  StepTimes times(job, jobs);
  std::vector<MapPoint> points(bandwidths.size());
  const MapPoint* faster = nullptr;
  for (const std::size_t at : order) {
    begin_point();
    MapPoint& point = points[at] = point_of(job, bandwidths[at]);
    const double factor = bandwidths[at] / job.cluster().network.nic_bandwidth;
    const auto search = [&](const std::vector<Scheme>& schemes, Best MapPoint::*side) {
      point.*side = best_setup(
          job, schemes, times,
          {.factor = factor, .first = faster == nullptr ? nullptr : &(faster->*side).setup});
    };
    search(plain, &MapPoint::uncompressed);
    search(compressed, &MapPoint::compressed);
    add_range(job, factor, jobs, point);
    faster = &point;
  }
  return points;
}

}  // namespace sim::study
