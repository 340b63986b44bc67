// SPDX-License-Identifier: Apache-2.0
// What the fabrics share whose routers are joined directly, not by switches above them.
#pragma once

#include "sim/topology/fabrics.hpp"

namespace sim::fabrics {

// Bandwidth that large buffers reach on a link between routers: the same share as on a NIC.
[[nodiscard]] Bandwidth link_rate(const Network& network, Bandwidth nic_rate);

// Cables of the NICs' bandwidth in a link between routers.
[[nodiscard]] std::int64_t cables_per_link(const Network& network);

// Appends the router's edge of that number, and one switch; returns the router that it leads to.
VertexId append_edge(const Graph& graph, VertexId router, std::size_t edge, Way& way);

}  // namespace sim::fabrics
