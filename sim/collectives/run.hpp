// SPDX-License-Identifier: Apache-2.0
// What the algorithms of collectives share when they run.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "sim/collectives/collectives.hpp"

namespace sim {

using Ids = std::vector<OperationId>;

// NCCL's kernels are persistent: a collective holds its SMs all the while. Copy engines take none.
enum class Multiprocessors { held, free };

// A collective begins when the last rank has arrived and ends with the last of what `run` appends,
// given its begin. Each rank gets a member operation.
void run_collective(ScheduleBuilder& builder, const Communicator& group, const Call& call,
                    const std::function<Ids(OperationId begin)>& run,
                    Multiprocessors multiprocessors = Multiprocessors::held);

// Of the flows that carry the bytes.
[[nodiscard]] inline ScheduleBuilder::Latency latency_of(const Duration& duration) {
  return {.before_s = duration.before_s, .on_the_way_s = duration.on_the_way_s};
}

// One flow per leg, all at once.
void run_legs(ScheduleBuilder& builder, const Communicator& group, std::span<const Leg> legs,
              double bytes, const ScheduleBuilder::Latency& latency, const Call& call);

}  // namespace sim
