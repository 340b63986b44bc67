// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/collectives.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "sim/collectives/protocols.hpp"
#include "sim/collectives/run.hpp"

namespace sim {

namespace {

// Bytes for which NCCL gives a collective one channel more, up to the communicator's (src/enqueue.cc):
// its threads times a threshold of bytes each (src/graph/tuning.cc; NCCL_SIMPLE_THREAD_THRESHOLD and
// the others in src/include/comm.h), which counts for each rank of an LL ring.
double bytes_of_channel(const CollectiveAlgorithm& algorithm, Protocol protocol, int ranks) {
  switch (protocol) {
    case Protocol::ll:
      return 512 * 8 * (&algorithm == &algorithms::ring ? ranks : 1);
    case Protocol::ll128:
      return 640 * 8;
    case Protocol::simple:
      return 512 * 64;
  }
  return 1;
}

double channels_for(const CollectiveAlgorithm& algorithm, const Communicator& group,
                    const Order& order) {
  if (algorithm.multiprocessors > 0) {
    return order.multiprocessors > 0 ? order.multiprocessors : algorithm.multiprocessors;
  }
  if (&algorithm != &algorithms::ring && &algorithm != &algorithms::tree) return group.channels;
  const double bytes = bytes_of_channel(algorithm, order.protocol, group.size);
  return std::clamp(std::floor(order.bytes / bytes), 1.0, double{1} * group.channels);
}

// So many hops inside nodes and between them, up and down, by the quickest protocol.
double scalar_s(const Cluster& cluster, double in_node, double between) {
  const Paces paces = paces_of(cluster);
  double least = std::numeric_limits<double>::infinity();
  for (const Protocol protocol : kProtocols) {
    const auto& launch = at(paces.launch, protocol);
    const auto& inside = at(paces.nvlink, protocol);
    const auto& outside = at(paces.network, protocol);
    if (!launch || !inside || (between > 0 && !outside)) continue;
    const double one_way_s =
        in_node * inside->latency.base() + (between > 0 ? between * outside->latency.base() : 0);
    least = std::min(least, launch->base() + 2 * one_way_s);
  }
  return least;
}

}  // namespace

void append(ScheduleBuilder& builder, const Communicator& group, CollectiveKind collective,
            double bytes, const Call& call) {
  append(builder, group, {.collective = collective, .bytes = bytes, .buffers = call.buffers}, call);
}

void append(ScheduleBuilder& builder, const Communicator& group, Order order, const Call& call) {
  if (group.size < 2 || order.bytes <= 0) return;
  const Choice choice = choose(group, order);
  order.protocol = choice.protocol;
  const bool folded = group.detail == Detail::folded;
  if (folded && choice.laid->algorithm->in_steps && !group.alike_links) builder.note_approximate();
  Call sized = call;
  sized.channels = channels_for(*choice.laid->algorithm, group, order) / group.channels;
  choice.laid->run(builder, group, choice.laid->legs, order, sized);
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
  builder.count_unfolded(group.alike);
  const Leg latency_only{.route = builder.add_route({})};
  run_legs(builder, group, {&latency_only, 1}, 0,
           {.before_s = scalar_s(cluster, static_cast<double>(group.size) / group.nodes - 1,
                                 std::ceil(std::log2(group.nodes)))},
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
