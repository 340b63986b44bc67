// SPDX-License-Identifier: Apache-2.0
// A topology's hardware in numbers, for a page's sliders to begin at.
#pragma once

#include <string>

#include "apps/sweep/points.hpp"

namespace apps::serve {

// Of a shipped topology or a file:
//
//   places   one for the cluster, or for each table of sites: name, count (of sites that the table stands
//            for), nodes, gpus_per_node, gpu, memory_bytes (of a GPU), price_usd_per_hour (of a GPU, 0 if the
//            file has none), nics_per_node, nic_bandwidth_Bps, oversubscription (null where the fabric has
//            none), uplink_Bps (null of a cluster)
//   links    between sites: the table that has it, "links.atlantic" or "backbone", bandwidth_Bps (null if it
//            has no limit), latency_s (one way)
[[nodiscard]] Inputs hardware_of(const std::string& topology);

}  // namespace apps::serve
