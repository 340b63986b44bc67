// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/run.hpp"

namespace sim {
namespace {

// What the collective's start waits for: every rank's stream and dependency.
Ids arrivals(const ScheduleBuilder& builder, const Communicator& group, const Call& call) {
  Ids ids;
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    const OperationId last = builder.last(group.ranks[i], call.stream);
    if (last != kNoOperation) ids.push_back(last);
    if (!call.after.empty() && call.after[i] != last) ids.push_back(call.after[i]);
  }
  return ids;
}

void add_members(ScheduleBuilder& builder, const Communicator& group, const Call& call,
                 OperationId end) {
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    const auto after = call.after.empty() ? call.after : call.after.subspan(i, 1);
    builder.member(group.ranks[i], call.stream, call.phase, call.label, after, end);
  }
}

}  // namespace

void run_collective(ScheduleBuilder& builder, const Communicator& group, const Call& call,
                    const std::function<Ids(OperationId begin)>& run,
                    Multiprocessors multiprocessors) {
  const Ids arrived = arrivals(builder, group, call);
  if (multiprocessors == Multiprocessors::free) {
    add_members(builder, group, call, builder.barrier(run(builder.barrier(arrived))));
    return;
  }
  const std::uint32_t occupancy = builder.part_of(group.occupancy, call.channels);
  const OperationId begin = builder.acquire(occupancy, arrived);
  add_members(builder, group, call, builder.release(occupancy, run(begin)));
}

void run_legs(ScheduleBuilder& builder, const Communicator& group, std::span<const Leg> legs,
              double bytes, const ScheduleBuilder::Latency& latency, const Call& call) {
  run_collective(builder, group, call, [&](OperationId begin) {
    Ids flows;
    for (const Leg& leg : legs) {
      flows.push_back(builder.flow(leg.route, leg.occupancy, call.phase, call.label, latency,
                                   bytes * leg.unit, {&begin, 1}));
    }
    return flows;
  });
}

}  // namespace sim
