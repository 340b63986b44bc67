// The collectives that move a buffer, as a table: what is checked of one is checked of all.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/schedule/collectives.hpp"

namespace sim {

struct CollectiveRow {
  const char* name;
  void (*append)(ScheduleBuilder&, const Communicator&, double bytes, const Call&);
  bool ring;
  int rounds;  // each of n ranks sends `rounds` * (n-1)/n of the buffer
};

inline constexpr std::array kCollectives{
    CollectiveRow{"all_gather", all_gather, true, 1},
    CollectiveRow{"reduce_scatter", reduce_scatter, true, 1},
    CollectiveRow{"all_reduce", all_reduce, true, 2},
    CollectiveRow{"all_to_all", all_to_all, false, 1},
};

inline constexpr std::array kDetails{Detail::folded, Detail::step_by_step};

inline const CollectiveRow& collective_named(std::string_view name) {
  return *std::find_if(kCollectives.begin(), kCollectives.end(),
                       [&](const CollectiveRow& row) { return row.name == name; });
}

inline std::vector<int> all_ranks(const Cluster& cluster) {
  std::vector<int> ranks(static_cast<std::size_t>(rank_count(cluster)));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

// The collective alone, over `ranks`.
inline Schedule schedule_of(const CollectiveRow& row, const Cluster& cluster,
                            const std::vector<int>& ranks, double bytes, Detail detail) {
  ScheduleBuilder builder(rank_count(cluster));
  const Uses uses{.ring = row.ring, .all_to_all = !row.ring};
  const Communicator group = make_communicator(cluster, builder, ranks, detail, uses);
  row.append(builder, group, bytes, {.stream = Stream::weights, .label = row.name});
  return std::move(builder).finish();
}

// Bytes that the schedule puts on each link of the cluster.
inline std::vector<double> link_bytes(const Schedule& schedule, const Links& links) {
  std::vector<double> bytes(links.size());
  std::vector<LinkId> crossed;
  for (const Operation& operation : schedule.operations) {
    if (operation.kind != OperationKind::flow) continue;
    for (const Hop& hop : schedule.routes[operation.route].hops) {
      crossed.clear();
      links.append(hop, crossed);
      for (const LinkId link : crossed) bytes[link] += operation.bytes * hop.times;
    }
  }
  return bytes;
}

}  // namespace sim
