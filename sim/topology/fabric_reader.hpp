// SPDX-License-Identifier: Apache-2.0
// Reads the keys of [network] that only some fabrics have.
#pragma once

#include "sim/base/toml_reader.hpp"
#include "sim/topology/cluster.hpp"

namespace sim {

// Of GPUs whose NIC is on another socket, for nodes of so many GPUs.
void read_far_gpus(TomlReader& reader, int gpus, Network& network);

// Of the network's fabric and NICs, for a cluster of so many nodes.
void read_fabric(TomlReader& reader, int nodes, Network& network);

}  // namespace sim
