// Pipeline orders: which micro-batch a stage takes when, forward and backward.
#pragma once

#include <compare>
#include <vector>

#include "sim/workload/parallelism.hpp"

namespace sim {

// One pass of one micro-batch through one chunk of a stage's layers. With one chunk a stage, chunk
// is 0; else stage s holds chunk c as the pipeline's virtual stage c * stages + s.
struct Task {
  bool forward = true;
  int micro_batch = 0;
  int chunk = 0;
  auto operator<=>(const Task&) const = default;
};

// A stage's order under 1F1B: enough forward passes to fill the stages after it, then one forward
// and one backward in turn (Narayanan et al. 2104.04473, section 2.2). With virtual stages, micro-
// batches go through chunk by chunk in groups of as many as there are stages (section 2.3), and of a
// few more where they do not divide (microbatch_group_size_per_vp_stage of Megatron's schedules.py).
[[nodiscard]] std::vector<Task> pipeline_tasks(const Parallelism& parallelism, int stage);

// Forward passes of chunks that the stage has under way at most: what its activations are kept for.
[[nodiscard]] int passes_in_flight(const Parallelism& parallelism, int stage);

}  // namespace sim
