// SPDX-License-Identifier: Apache-2.0
#include "sim/study/map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "sim/base/error.hpp"
#include "sim/base/parallel.hpp"
#include "sim/study/search/likely_range.hpp"
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

// Micro-batches of one sequence that make a step of so many tokens.
std::int64_t passes_of(const Job& job, std::int64_t tokens) {
  const std::int64_t pass =
      std::int64_t{replicas(job.cluster(), job.parallelism)} * job.model.sequence;
  return tokens / pass + (tokens % pass == 0 ? 0 : 1);
}

void set_accumulation(Job& job, std::int64_t tokens) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  job.parallelism.accumulation = static_cast<int>(std::min(passes_of(job, tokens), kMost));
}

// A stage of ZeRO and what is recomputed, tried with each degree of tensor parallelism.
struct Attempt {
  int stage;
  Recompute recompute;
};

std::vector<Attempt> attempts_of(const Job& job) {
  std::vector<int> stages{1, 3};
  if (job.given.contains("zero")) stages = {*job.zero};
  std::vector<Recompute> recomputes{job.parallelism.recompute};
  if (!job.given.contains("recompute")) recomputes.push_back(Recompute::full);
  std::vector<Attempt> attempts;
  for (const Recompute recompute : recomputes) {
    for (const int stage : stages) attempts.push_back({stage, recompute});
  }
  return attempts;
}

// The smallest degree with which an attempt fits, the first that has one; the largest if none fits.
int tensor_that_fits(Job job, std::int64_t tokens) {
  int last = job.parallelism.tensor;
  for (const Attempt& attempt : attempts_of(job)) {
    job.parallelism.recompute = attempt.recompute;
    for (int tensor = 1; tensor <= job.cluster().gpus_per_node; tensor *= 2) {
      job.parallelism.tensor = tensor;
      if (!problems(job.cluster(), job.model, job.parallelism).empty()) continue;
      set_accumulation(job, tokens);
      if (fits(job, attempt.stage)) return tensor;
      last = tensor;
    }
  }
  return last;
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

MapSide side_of(const Job& job, const MapPoint& point, const Best& best) {
  const double tokens = static_cast<double>(point.global_batch) * point.sequence;
  return {.setup = best.setup,
          .step_time_s = best.step_time_s,
          .tokens_per_s = tokens / best.step_time_s,
          .fits = best.fits,
          .remedies = best.fits ? needed_remedies(job, best.setup) : 0};
}

// Of the fastest two, where NICs are `factor` times as fast.
void add_speedup(Job job, double factor, MapPoint& point) {
  job.cluster() = with_nics(std::move(job.cluster()), factor);
  const auto sensitivity = [&](const Setup& setup) {
    return sensitivity_of(job, setup, simulate(job, setup).report);
  };
  point.speedup = point.uncompressed.step_time_s / point.compressed.step_time_s;
  point.speedup_range = range_of_ratio(point.speedup, sensitivity(point.compressed.setup),
                                       sensitivity(point.uncompressed.setup));
}

// One of a map's two.
struct SchemesOfSide {
  std::vector<Scheme> schemes;
  MapSide MapPoint::*side;
};

}  // namespace

Job map_job(Job job, int tensor, std::int64_t tokens) {
  if (compressed_schemes(job).empty()) {
    throw InputError(
        "`scheme`: names no compressed scheme; add one, uncompressed ones are always in the map");
  }
  if (tensor == 0) job.parallelism.tensor = tensor_that_fits(job, tokens);
  job.given.insert({"tp", "sequence-parallel"});  // the same for both sides
  check_choice(job, uncompressed_schemes());
  check_choice(job, compressed_schemes(job));
  set_accumulation(job, tokens);
  if (!is_held(job.cluster(), job.model, job.parallelism)) {
    throw InputError(
        fmt::format("`tokens`: {} are {} micro-batches of {} on {} GPUs, more than a simulation "
                    "can hold; write fewer",
                    tokens, passes_of(job, tokens), job.model.name, rank_count(job.cluster())));
  }
  return job;
}

std::vector<MapPoint> map_points(const Job& job, std::span<const Bandwidth> bandwidths, int jobs,
                                 const std::function<void()>& begin_point) {
  std::vector<std::size_t> order(bandwidths.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, std::ranges::greater(), [&](std::size_t at) { return bandwidths[at]; });
  std::vector<MapPoint> points;
  for (const Bandwidth bandwidth : bandwidths) points.push_back(point_of(job, bandwidth));
  const auto factor = [&](std::size_t at) {
    return bandwidths[at] / job.cluster().network.nic_bandwidth;
  };
  // Sides do not depend on each other; of one side, each point begins where a faster network ended.
  const std::array sides{SchemesOfSide{uncompressed_schemes(), &MapPoint::uncompressed},
                         SchemesOfSide{compressed_schemes(job), &MapPoint::compressed}};
  for_each_in_parallel(jobs, sides.size(), [&](std::size_t i) {
    const auto& [schemes, side] = sides[i];
    StepTimes times(job, std::max(1, jobs / static_cast<int>(sides.size())));
    const Setup* first = nullptr;
    for (const std::size_t at : order) {
      begin_point();
      MapPoint& point = points[at];
      point.*side = side_of(
          job, point, best_setup(job, schemes, times, {.factor = factor(at), .first = first}));
      first = &(point.*side).setup;
    }
  });
  for_each_in_parallel(jobs, points.size(),
                       [&](std::size_t at) { add_speedup(job, factor(at), points[at]); });
  return points;
}

}  // namespace sim::study
