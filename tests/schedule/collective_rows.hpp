// The collectives that move a buffer, as a table: what is checked of one is checked of all.
#pragma once

#include <array>
#include <numeric>
#include <string>
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

// What gtest calls a test over rows.
inline void PrintTo(const CollectiveRow& row, std::ostream* out) { *out << row.name; }

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

}  // namespace sim
