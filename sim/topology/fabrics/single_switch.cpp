// SPDX-License-Identifier: Apache-2.0
// Every NIC on one non-blocking switch.
#include "sim/topology/fabrics/trees.hpp"

namespace sim::fabrics {
namespace {

void build_single_switch(const Network&, Bandwidth nic_rate, std::span<const VertexId> nics,
                         Graph& graph) {
  attach_to_core(nics, add_nic_ports(nic_rate, nics, graph), graph);
}

}  // namespace

constinit const NetworkFabric single_switch{
    .name = "single_switch", .build = build_single_switch, .tapered_units = [](const Network&) {
      return std::vector<int>{};
    }};

}  // namespace sim::fabrics
