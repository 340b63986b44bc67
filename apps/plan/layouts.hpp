// Every way to lay a job over clusters that run it alike: one, or those of several sites.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/job/job.hpp"
#include "apps/plan/plan_options.hpp"

namespace apps {

struct Layout {
  std::size_t scheme = 0;  // of those that are chosen from
  sim::Parallelism parallelism;
  double memory = 0;  // of a GPU of one cluster: bytes
};

// So many equal clusters with the job.
struct Ground {
  const Job* job = nullptr;
  int count = 1;
};

// What a layout has but for how its weights and gradients travel: what the kernels of a step are, and
// in which order. Tensor and pipeline parallelism as the model and the nodes divide, virtual stages,
// sequence parallelism, each split of a replica's sequences into micro-batches, what the backward
// pass computes again; and the software that ZeRO-3 stands for, or that the stages below it do. What
// a flag says is not chosen. A step has PlanOptions::batch_tokens over all the grounds together,
// rounded up to as many sequences for each replica.
struct Frames {
  std::vector<sim::Parallelism> all;  // at ZeRO-1 or ZeRO-3
  int not_held = 0;                   // splits with more micro-batches than a simulation holds
};
[[nodiscard]] Frames frames_of(const PlanOptions& options, std::span<const Ground> grounds,
                               std::span<const sim::Scheme> schemes);

// The layouts of a frame, their memory not yet known: each scheme with its stages of ZeRO,
// sharding_forms(), gradients in BF16 and FP32, and whether ZeRO-3 reshards.
[[nodiscard]] std::vector<Layout> layouts_of(std::span<const Ground> grounds,
                                             std::span<const sim::Scheme> schemes,
                                             const sim::Parallelism& frame);

}  // namespace apps
