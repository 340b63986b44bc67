// SPDX-License-Identifier: Apache-2.0
// Wiring: the links that a schedule's routes cross, of a cluster or between sites: the engine's only
// input besides the schedule.
#pragma once

#include <vector>

#include "sim/schedule/schedule.hpp"
#include "sim/topology/topology.hpp"
#include "sim/topology/wide_topology.hpp"

namespace sim {

struct Wiring {
  std::vector<Link> links;
  // By Schedule::routes: the links of each; a link that carries k shares of the flow appears k
  // times.
  std::vector<std::vector<LinkId>> routes;
};

// The links of a cluster, and one more per communicator and node if the cluster caps a
// communicator's traffic out of a node (Fitted::communicator_bandwidth):
// "communicator_cap_2_node_0".
[[nodiscard]] Wiring wire(const Schedule& schedule, const Topology& topology);

// The links between sites, and one more per ordered pair of places whose connections are slower than
// any link may be: "connections_2_0".
[[nodiscard]] Wiring wire(const Schedule& schedule, const WideTopology& topology);

}  // namespace sim
