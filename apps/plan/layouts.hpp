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

struct Layouts {
  std::vector<Layout> all;  // their memory not yet known
  int not_held = 0;         // splits with more micro-batches than a simulation holds
};

// Tensor and pipeline parallelism as the model and the nodes divide; each split of a replica's
// sequences into micro-batches; what the backward pass computes again; and each scheme with its
// stages of ZeRO, its hybrid groups and FP8 gather (other_shardings()). What a flag says is not
// chosen. A step has PlanOptions::batch_tokens over all the grounds together, rounded up to as many
// sequences for each replica.
[[nodiscard]] Layouts layouts_of(const PlanOptions& options, std::span<const Ground> grounds,
                                 std::span<const sim::Scheme> schemes);

}  // namespace apps
