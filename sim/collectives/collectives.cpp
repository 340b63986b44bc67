// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/collectives.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "sim/collectives/run.hpp"

namespace sim {

void append(ScheduleBuilder& builder, const Communicator& group, CollectiveKind collective,
            double bytes, const Call& call) {
  if (group.size < 2 || bytes <= 0) return;
  const Communicator::Laid& laid = group.laid_for(collective);
  laid.run(builder, group, laid.legs, collective, bytes, call);
}

void all_gather(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call) {
  append(builder, group, CollectiveKind::all_gather, bytes, call);
}

void reduce_scatter(ScheduleBuilder& builder, const Communicator& group, double bytes,
                    const Call& call) {
  append(builder, group, CollectiveKind::reduce_scatter, bytes, call);
}

void all_reduce(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call) {
  append(builder, group, CollectiveKind::all_reduce, bytes, call);
}

void all_to_all(ScheduleBuilder& builder, const Communicator& group, double bytes,
                const Call& call) {
  append(builder, group, CollectiveKind::all_to_all, bytes, call);
}

void all_reduce_scalar(const Cluster& cluster, ScheduleBuilder& builder, const Communicator& group,
                       const Call& call) {
  if (group.size < 2) return;
  const double in_node = static_cast<double>(group.size) / group.nodes - 1;
  const double one_way_s = in_node * cluster.nvlink.latency.base() +
                           std::ceil(std::log2(group.nodes)) * cluster.network.latency.base();
  builder.count_unfolded(group.alike);
  const Leg latency_only{.route = builder.add_route({})};
  run_legs(builder, group, {&latency_only, 1}, 0, {.before_s = group.launch_s + 2 * one_way_s},
           call);
}

OperationId send(const Topology& topology, ScheduleBuilder& builder, const Message& message,
                 const Call& call) {
  builder.count_unfolded(1);
  Route route{.hops = topology.path(message.source, message.destination)};
  double latency_s = topology.cluster().collectives.launch.base();
  for (const Hop& hop : route.hops) latency_s += topology.latency(hop).base();
  return builder.flow(builder.add_route(std::move(route)), 0, call.phase, call.label, latency_s,
                      message.bytes, call.after);
}

}  // namespace sim
