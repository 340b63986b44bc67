// SPDX-License-Identifier: Apache-2.0
// A map of the fastest scheme: its points, on one cluster over NIC bandwidths, and between sites.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/study/search/best_setup.hpp"
#include "sim/study/search/memory_remedies.hpp"
#include "sim/study/search/verdict.hpp"

namespace sim::study {

// Lays out a job for its map: its setups' compressed schemes against all uncompressed ones. If
// `tensor` is 0, tensor parallelism is the smallest with which an uncompressed step fits in memory:
// under ZeRO-1, which keeps the whole weights that most schemes need; else under ZeRO-3; else under
// either with full recomputation, unless recomputation is given. A step has `tokens`, rounded up to the
// same number of sequences per replica. Throws InputError.
[[nodiscard]] Job map_job(Job job, int tensor, std::int64_t tokens);

// The fastest of a point's compressed schemes, or of its uncompressed ones.
struct MapSide {
  Setup setup;
  double step_time_s = 0;  // between sites, of a round
  double tokens_per_s = 0;
  bool fits = true;        // in a GPU's memory
  RemedySet remedies = 0;  // without which its scheme does not fit
};

struct MapPoint {
  std::string topology, model;
  int gpus = 0, tensor = 1, pipeline = 1, sequence = 0;
  std::int64_t global_batch = 0;
  std::optional<Bandwidth> nic_bandwidth;  // none between sites
  MapSide uncompressed, compressed;
  double speedup = 0;  // of the compressed one
  // Of the speed-up of these two; the fastest schemes are not searched again.
  LikelyRatio speedup_range = {};

  [[nodiscard]] std::optional<Verdict> verdict() const {
    return verdict_of({.speedup = speedup,
                       .range = speedup_range,
                       .fits = compressed.fits,
                       .other_fits = uncompressed.fits});
  }
  // Of those that fit, if any does.
  [[nodiscard]] const MapSide& fastest() const {
    if (compressed.fits != uncompressed.fits) return compressed.fits ? compressed : uncompressed;
    return speedup > 1 ? compressed : uncompressed;
  }
  [[nodiscard]] bool pays() const { return verdict() == Verdict::win; }
};

// The points of one job in the order of `bandwidths`. Both sides are searched at each bandwidth,
// fast networks first: a step that is slow there is slower on slow networks and need not be
// simulated. Simulates `jobs` setups at a time. `begin_point` is called for each side of each point,
// from any thread.
[[nodiscard]] std::vector<MapPoint> map_points(const Job& job,
                                               std::span<const Bandwidth> bandwidths, int jobs,
                                               const std::function<void()>& begin_point);

// The same between sites: the job's compressed schemes against all uncompressed ones that it can run.
// A step of all sites has `tokens`, rounded up to whole micro-batches. Throws InputError.
[[nodiscard]] Job map_sites_job(Job job, std::int64_t tokens);

// The layout is the job's, with remedies where a scheme does not fit otherwise. Speeds are those at
// which tokens are trained on, since rounds differ in theirs. `begin_scheme` is called for each scheme.
[[nodiscard]] MapPoint map_sites_point(const Job& job, int jobs,
                                       const std::function<void()>& begin_scheme);

}  // namespace sim::study
