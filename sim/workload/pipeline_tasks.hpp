// SPDX-License-Identifier: Apache-2.0
// Pipeline orders: the order in which a stage takes micro-batches, forward and backward.
#pragma once

#include <compare>
#include <vector>

#include "sim/workload/parallelism.hpp"

namespace sim {

// One pass of one micro-batch through one chunk of a stage's layers. With one chunk per stage,
// chunk is 0; else stage s holds chunk c as the pipeline's virtual stage c * stages + s.
struct Task {
  bool forward = true;
  int micro_batch = 0;
  int chunk = 0;
  auto operator<=>(const Task&) const = default;
};

// A stage's order under 1F1B: enough forward passes to fill the later stages, then forward and
// backward passes in turn (Narayanan et al. 2104.04473, section 2.2). With virtual stages,
// micro-batches go through chunk by chunk, in groups as large as the number of stages (section
// 2.3), or slightly larger if they do not divide evenly (microbatch_group_size_per_vp_stage of
// Megatron's schedules.py).
[[nodiscard]] std::vector<Task> pipeline_tasks(const Parallelism& parallelism, int stage);

// The part of a stage's order that repeats: a forward and a backward pass in turn, with virtual stages
// those of a whole group of micro-batches.
struct PeriodicOrder {
  int first = 0;    // task
  int tasks = 0;    // of a period
  int periods = 0;  // whole ones

  // -1: none.
  [[nodiscard]] int period_of(int task) const {
    const int period = (task - first) / tasks;
    return task >= first && period < periods ? period : -1;
  }
};
[[nodiscard]] PeriodicOrder periodic_order(const Parallelism& parallelism, int stage);

// The same order with so many periods at the first stage, which has fewest, and how many that leaves
// out of each stage's: none where the step has no more.
struct ShorterOrder {
  int accumulation = 0;
  int left_out = 0;
};
[[nodiscard]] ShorterOrder with_periods(const Parallelism& parallelism, int periods);

// Most forward passes of chunks in flight on the stage, for which it keeps activations.
[[nodiscard]] int passes_in_flight(const Parallelism& parallelism, int stage);

}  // namespace sim
