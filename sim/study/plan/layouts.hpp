// SPDX-License-Identifier: Apache-2.0
// Every way to lay out a job over clusters that run it identically: one cluster, or those of
// several sites.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/study/job.hpp"

namespace sim::study {

// Fields of which a plan can try several given values (Job::listed).
inline constexpr std::string_view kListedFields[] = {
    "tp", "pp", "cp", "ep", "etp", "virtual-stages", "micro-batch", "zero", "recompute"};

struct Layout {
  std::size_t scheme = 0;  // index into the chosen schemes
  Parallelism parallelism;
};

// A number of equal clusters with the job, of sites that may have keys of their own.
struct Ground {
  const Job* job = nullptr;
  int count = 1;
  [[nodiscard]] const Site& site() const { return job->topology.sites.front(); }
};

// A layout without the transport of its weights and gradients: it determines the kernels of a step
// and their order. Tensor and pipeline parallelism as model and nodes divide, virtual stages,
// sequence parallelism, each split of a replica's sequences into micro-batches, recomputation; and
// the software implied by ZeRO-3, or by the stages below it. Given options stay fixed. A
// step has at least `batch_tokens` over all grounds together, rounded up to the same number of
// sequences per replica, whatever batch some sites have as their own.
struct Frames {
  std::vector<Parallelism> all;  // at ZeRO-1 or ZeRO-3
  int not_held = 0;              // splits with more micro-batches than a simulation can hold
};
[[nodiscard]] Frames frames_of(std::int64_t batch_tokens, std::span<const Ground> grounds,
                               std::span<const Scheme> schemes);

// The layouts of a frame: each scheme with its stages of ZeRO,
// sharding_forms(), gradients in BF16 and FP32, and ZeRO-3 with and without resharding.
[[nodiscard]] std::vector<Layout> layouts_of(std::span<const Ground> grounds,
                                             std::span<const Scheme> schemes,
                                             const Parallelism& frame);

}  // namespace sim::study
