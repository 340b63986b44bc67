// SPDX-License-Identifier: Apache-2.0
// Wiring: the links that a schedule's routes cross, of a cluster or between sites: the engine's only
// input besides the schedule.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "sim/schedule/schedule.hpp"
#include "sim/topology/topology.hpp"
#include "sim/topology/wide_topology.hpp"

namespace sim {

// A link of a route, and how many shares of the flow it carries.
struct Crossing {
  LinkId link = 0;
  int times = 1;
  auto operator<=>(const Crossing&) const = default;
};

// Each of the parts once that `of` says are the same, ascending, with the sum of their `times`.
template <class Part, class Of>
void merge(std::vector<Part>& parts, Of of) {
  std::ranges::sort(parts, {}, of);
  auto end = parts.begin();
  for (const Part& one : parts) {
    if (end != parts.begin() && std::invoke(of, *std::prev(end)) == std::invoke(of, one)) {
      std::prev(end)->times += one.times;
    } else {
      *end++ = one;
    }
  }
  parts.erase(end, parts.end());
}

// What is always under way besides the schedule: at most as fast as its slowest link, which may be one
// of its own.
struct Background {
  std::vector<Crossing> links;  // merged
  double channels = 1;          // as of Route
};

struct Wiring {
  std::vector<Link> links;
  std::vector<std::vector<Crossing>> routes;  // by Schedule::routes; merged
  std::vector<Background> background = {};
  // By link, how many it stands for, itself included; empty: each for itself.
  std::vector<std::uint32_t> alike = {};
};

// The links of a cluster that hops cross, and one more per communicator and node if the cluster caps
// a communicator's traffic out of a node (Fitted::communicator_bandwidth): "communicator_cap_2_node_0".
class ClusterLinks {
 public:
  explicit ClusterLinks(const Topology& topology);

  // Those of one share of the hop, until it is called again.
  [[nodiscard]] const std::vector<LinkId>& crossed(const Hop& hop, std::int32_t communicator);
  // Those of all hops of a flow, merged, until it is called again.
  [[nodiscard]] const std::vector<Crossing>& crossings(const std::vector<Hop>& hops,
                                                       std::int32_t communicator);
  [[nodiscard]] std::size_t count() const { return topology_.links().size() + caps_.size(); }
  [[nodiscard]] Link link(LinkId id) const;
  // But for the name.
  [[nodiscard]] const Link& unnamed(LinkId id) const;

 private:
  const Topology& topology_;
  Way way_;                                               // of the last hop
  std::vector<Crossing> crossings_;                       // of the last flow
  std::vector<Link> caps_;                                // after those of the topology
  std::map<std::int32_t, std::size_t> numbers_;           // of capped communicators, in order
  std::map<std::pair<std::size_t, int>, LinkId> capped_;  // by that number and node
};

// ClusterLinks, and what other jobs send, each flow over one more link that limits it:
// "traffic_NAME_0".
[[nodiscard]] Wiring wire(const Schedule& schedule, const Topology& topology);

// The links between sites, and one more per ordered pair of places whose connections are slower than
// any link may be: "connections_2_0". A site that another one stands for (Schedule::alike) has its
// links stood for too; hops are those of all sites that are alike.
[[nodiscard]] Wiring wire(const Schedule& schedule, const WideTopology& topology);

}  // namespace sim
