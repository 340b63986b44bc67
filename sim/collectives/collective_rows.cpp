// SPDX-License-Identifier: Apache-2.0
#include "sim/collectives/collective_rows.hpp"

#include <array>
#include <utility>

#include "sim/base/names.hpp"
#include "sim/topology/nccl_transports.hpp"

namespace sim {
namespace {

constexpr std::array kCollectives{
    CollectiveRow{"all_gather", CollectiveKind::all_gather, 1},
    CollectiveRow{"reduce_scatter", CollectiveKind::reduce_scatter, 1},
    CollectiveRow{"all_reduce", CollectiveKind::all_reduce, 2},
    CollectiveRow{"all_to_all", CollectiveKind::all_to_all, 1},
    CollectiveRow{"broadcast", CollectiveKind::broadcast, 0},
    CollectiveRow{"send_receive", CollectiveKind::send_receive, 0},
};

}  // namespace

std::span<const CollectiveRow> all_collectives() { return kCollectives; }

const CollectiveRow& collective_named(std::string_view name, std::string_view place) {
  std::vector<std::string_view> known;
  for (const CollectiveRow& row : kCollectives) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  refuse_name(place, name, known);
}

LoneCollective run_alone(Order order, std::string_view label, ScheduleBuilder builder,
                         std::span<const Communicator> groups) {
  LoneCollective alone;
  for (const Communicator& group : groups) {
    if (alone.algorithm.empty() && group.size > 1) {
      const Choice choice = choose(group, order);
      alone.algorithm = choice.laid->algorithm->name;
      alone.protocol = name_of(std::optional(choice.protocol), kProtocolNames);
      Order least = order;
      least.protocol = choice.protocol;
      least.bytes = 1;
      alone.latency_s = choice.laid->estimate(least).value().seconds();
    }
    append(builder, group, order, {.stream = Stream::weights, .label = label});
  }
  alone.schedule = std::move(builder).finish();
  return alone;
}

LoneCollective run_alone(const CollectiveRow& row, ScheduleBuilder builder,
                         std::span<const Communicator> groups, double bytes, Buffers buffers) {
  return run_alone({row.collective, bytes, Protocol::simple, buffers}, row.name, std::move(builder),
                   groups);
}

LoneCollective run_alone(const CollectiveRow& row, const Topology& topology,
                         std::span<const std::vector<int>> groups, double bytes, Detail detail,
                         Buffers buffers) {
  ScheduleBuilder builder(rank_count(topology.cluster()));
  std::vector<Communicator> communicators;
  for (const std::vector<int>& ranks : groups) {
    communicators.push_back(make_communicator(topology, builder, ranks, detail, {row.collective}));
  }
  return run_alone(row, std::move(builder), communicators, bytes, buffers);
}

Schedule schedule_of(const CollectiveRow& row, const Topology& topology,
                     std::span<const std::vector<int>> groups, double bytes, Detail detail,
                     Buffers buffers) {
  return run_alone(row, topology, groups, bytes, detail, buffers).schedule;
}

}  // namespace sim
