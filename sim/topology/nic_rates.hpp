// SPDX-License-Identifier: Apache-2.0
// NICs that can be bought, and hosts that can feed them.
#pragma once

#include <string>
#include <vector>

#include "sim/topology/cluster.hpp"

namespace sim {

// Rates of a port that are sold, ascending: Ethernet of IEEE 802.3 from 1 to 800 Gb/s, and InfiniBand from FDR
// (56 Gb/s) to XDR.
[[nodiscard]] std::vector<Bandwidth> nic_rates();

// Why the cluster's nodes cannot have such NICs instead of their own; empty if they can. Nothing is sold at another
// rate than nic_rates(), and a NIC shares its slot's generation of PCIe with the GPU (gpu.host_bandwidth): "a NIC of
// 800 Gbps needs 100 GBps of its slot, whose lanes carry 64.0 GBps (gpu.host_bandwidth)". What the cluster's own file
// has is built.
[[nodiscard]] std::string why_not_built(const Cluster& cluster, Bandwidth nic);

}  // namespace sim
