// SPDX-License-Identifier: Apache-2.0
// A map of the fastest scheme: over NIC bandwidths, for one model after another.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/study/search/best_setup.hpp"
#include "sim/study/search/verdict.hpp"

namespace sim::study {

// Lays out a job for its map: its setups' compressed schemes against all uncompressed ones. If
// `tensor` is 0, tensor parallelism is the smallest with which an uncompressed step fits in memory:
// under ZeRO-1, which keeps the whole weights that most schemes need; else under ZeRO-3; else under
// either with full recomputation, unless recomputation is given. A step has `tokens`, rounded up to the
// same number of sequences per replica. Throws InputError.
[[nodiscard]] Job map_job(Job job, int tensor, std::int64_t tokens);

// One NIC bandwidth and model.
struct MapPoint {
  std::string topology, model;
  int gpus = 0, tensor = 1, pipeline = 1, sequence = 0;
  std::int64_t global_batch = 0;
  Bandwidth nic_bandwidth;
  Best uncompressed, compressed;  // the fastest of each kind
  // Of the speed-up of these two; the fastest schemes are not searched again.
  LikelyRatio speedup_range = {};

  [[nodiscard]] double speedup() const { return uncompressed.step_time_s / compressed.step_time_s; }
  [[nodiscard]] std::optional<Verdict> verdict() const {
    return verdict_of({.speedup = speedup(),
                       .range = speedup_range,
                       .fits = compressed.fits,
                       .other_fits = uncompressed.fits});
  }
  // Of those that fit, if any does.
  [[nodiscard]] const Best& fastest() const {
    if (compressed.fits != uncompressed.fits) return compressed.fits ? compressed : uncompressed;
    return speedup() > 1 ? compressed : uncompressed;
  }
  [[nodiscard]] bool pays() const { return verdict() == Verdict::win; }
};

// The points of one model in the order of `bandwidths`. Both sides are searched at each bandwidth,
// fast networks first: a step that is slow there is slower on slow networks and need not be
// simulated. Simulates `jobs` setups at a time. `begin_point` is called for each side of each point,
// from any thread.
[[nodiscard]] std::vector<MapPoint> map_points(const Job& job,
                                               std::span<const Bandwidth> bandwidths, int jobs,
                                               const std::function<void()>& begin_point);

}  // namespace sim::study
